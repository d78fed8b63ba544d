use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async_with_config, WebSocketStream};
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::crowd::Crowd;
use wscale_contract::MESSAGE_MAX_B;

/// Maps a message to its answer, if any. `None`: broadcast.
type Behaviour = Option<fn(Message) -> Option<Message>>;

const BEHAVIOURS: [(&str, Behaviour); 5] = [
    ("echo", Some(|message| (message.is_text() || message.is_binary()).then_some(message))),
    ("pingpong", Some(|message| answer_ping(message.to_text().ok()?).map(Message::text))),
    ("idle", Some(|_| None)),
    ("json-ping", Some(|message| answer_json_ping(message.to_text().ok()?).map(Message::text))),
    ("broadcast", None),
];

static EVERYONE: Crowd<Message> = Crowd::new();

fn main() {
    wscale_contract::serve("tokio-tungstenite", &BEHAVIOURS, converse)
}

async fn converse(stream: TcpStream, behaviour: Behaviour) {
    let limits = WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX_B)).max_frame_size(Some(MESSAGE_MAX_B));
    let Ok(mut socket) = accept_async_with_config(stream, Some(limits)).await else { return };
    let Some(behaviour) = behaviour else { return converse_with_all(socket).await };
    // tungstenite answers pings and closes while we read.
    while let Some(Ok(message)) = socket.next().await {
        let Some(answer) = behaviour(message) else { continue };
        if socket.send(answer).await.is_err() {
            return; // the client has gone
        }
    }
}

async fn converse_with_all(mut socket: WebSocketStream<TcpStream>) {
    let mut told = EVERYONE.join();
    loop {
        tokio::select! {
            received = socket.next() => match received {
                Some(Ok(message)) if message.is_text() || message.is_binary() => EVERYONE.tell(&message).await,
                Some(Ok(_)) => {}
                _ => return, // the client has gone
            },
            message = told.recv() => {
                let Some(message) = message else { return }; // the client does not read
                if socket.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}
