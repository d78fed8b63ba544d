use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use axum::serve::ListenerExt;
use axum::Router;
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::MESSAGE_MAX_B;

/// From a message to its answer, if it has one.
type Behaviour = fn(Message) -> Option<Message>;

const BEHAVIOURS: [(&str, Behaviour); 4] = [
    ("echo", |message| matches!(message, Message::Text(_) | Message::Binary(_)).then_some(message)),
    ("pingpong", |message| answer_ping(message.to_text().ok()?).map(Message::text)),
    ("idle", |_| None),
    ("json-ping", |message| answer_json_ping(message.to_text().ok()?).map(Message::text)),
];

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
    // Pings and closes are answered by tungstenite, while it is read.
    while let Some(Ok(message)) = socket.recv().await {
        let Some(answer) = behaviour(message) else { continue };
        if socket.send(answer).await.is_err() {
            return; // the client is gone
        }
    }
}
