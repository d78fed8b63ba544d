use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::accept_async_with_config;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::Message;
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::MESSAGE_MAX_B;

/// From a message to its answer, if it has one.
type Behaviour = fn(Message) -> Option<Message>;

const BEHAVIOURS: [(&str, Behaviour); 4] = [
    ("echo", |message| (message.is_text() || message.is_binary()).then_some(message)),
    ("pingpong", |message| answer_ping(message.to_text().ok()?).map(Message::text)),
    ("idle", |_| None),
    ("json-ping", |message| answer_json_ping(message.to_text().ok()?).map(Message::text)),
];

fn main() {
    wscale_contract::serve("tokio-tungstenite", &BEHAVIOURS, converse)
}

async fn converse(stream: TcpStream, behaviour: Behaviour) {
    let limits = WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX_B)).max_frame_size(Some(MESSAGE_MAX_B));
    let Ok(mut socket) = accept_async_with_config(stream, Some(limits)).await else { return };
    // Pings and closes are answered by tungstenite, while it is read.
    while let Some(Ok(message)) = socket.next().await {
        let Some(answer) = behaviour(message) else { continue };
        if socket.send(answer).await.is_err() {
            return; // the client is gone
        }
    }
}
