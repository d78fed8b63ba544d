use fastwebsockets::upgrade::{upgrade, UpgradeFut};
use fastwebsockets::{FragmentCollector, Frame, OpCode, WebSocketError};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::str::from_utf8;
use tokio::net::TcpStream;
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::MESSAGE_MAX_B;

/// From a message to its answer, if it has one.
type Behaviour = fn(Frame<'_>) -> Option<Frame<'_>>;

const BEHAVIOURS: [(&str, Behaviour); 4] = [
    ("echo", |frame| Some(frame)),
    ("pingpong", |frame| answer_ping(from_utf8(&frame.payload).ok()?).map(to_frame)),
    ("idle", |_| None),
    ("json-ping", |frame| answer_json_ping(from_utf8(&frame.payload).ok()?).map(to_frame)),
];

fn to_frame(text: String) -> Frame<'static> {
    Frame::text(text.into_bytes().into())
}

fn main() {
    wscale_contract::serve("fastwebsockets", &BEHAVIOURS, serve_requests)
}

async fn serve_requests(stream: TcpStream, behaviour: Behaviour) {
    let service = service_fn(move |request| accept(request, behaviour));
    // an error is the client's: it is gone
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
}

async fn accept(
    mut request: Request<Incoming>,
    behaviour: Behaviour,
) -> Result<Response<Empty<Bytes>>, WebSocketError> {
    let (response, socket) = upgrade(&mut request)?;
    tokio::spawn(converse(socket, behaviour));
    Ok(response)
}

async fn converse(socket: UpgradeFut, behaviour: Behaviour) -> Result<(), WebSocketError> {
    let mut socket = socket.await?;
    socket.set_max_message_size(MESSAGE_MAX_B);
    let mut socket = FragmentCollector::new(socket);
    loop {
        let frame = socket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => {
                let Some(answer) = behaviour(frame) else { continue };
                socket.write_frame(answer).await?;
            }
            _ => {}
        }
    }
}
