use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use axum::serve::ListenerExt;
use axum::Router;
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::crowd::Crowd;
use wscale_contract::MESSAGE_MAX_B;

/// Maps a message to its answer, if any. `None`: broadcast.
type Behaviour = Option<fn(Message) -> Option<Message>>;

const BEHAVIOURS: [(&str, Behaviour); 5] = [
    ("echo", Some(|message| is_data(&message).then_some(message))),
    ("pingpong", Some(|message| answer_ping(message.to_text().ok()?).map(Message::text))),
    ("idle", Some(|_| None)),
    ("json-ping", Some(|message| answer_json_ping(message.to_text().ok()?).map(Message::text))),
    ("broadcast", None),
];

static EVERYONE: Crowd<Message> = Crowd::new();

fn is_data(message: &Message) -> bool {
    matches!(message, Message::Text(_) | Message::Binary(_))
}

fn main() {
    wscale_contract::serve_listener("axum", &BEHAVIOURS, |listener, behaviour, nodelay| async move {
        let upgrade = move |request: WebSocketUpgrade| async move {
            let limited = request.max_message_size(MESSAGE_MAX_B).max_frame_size(MESSAGE_MAX_B);
            limited.on_upgrade(move |socket| converse(socket, behaviour))
        };
        let listener = listener.tap_io(move |stream| drop(stream.set_nodelay(nodelay)));
        axum::serve(listener, Router::new().route("/", any(upgrade))).await
    })
}

async fn converse(mut socket: WebSocket, behaviour: Behaviour) {
    let Some(behaviour) = behaviour else { return converse_with_all(socket).await };
    // tungstenite answers pings and closes while we read.
    while let Some(Ok(message)) = socket.recv().await {
        let Some(answer) = behaviour(message) else { continue };
        if socket.send(answer).await.is_err() {
            return; // the client has gone
        }
    }
}

async fn converse_with_all(mut socket: WebSocket) {
    let mut told = EVERYONE.join();
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(message)) if is_data(&message) => EVERYONE.tell(&message).await,
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
