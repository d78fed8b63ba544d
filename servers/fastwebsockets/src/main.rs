use fastwebsockets::upgrade::{upgrade, UpgradeFut};
use fastwebsockets::{FragmentCollector, FragmentCollectorRead, Frame, OpCode, WebSocketError};
use hyper::{body::Bytes, body::Incoming, server::conn::http1, service::service_fn, Request};
use hyper_util::rt::TokioIo;
use tokio::sync::Mutex;
use wscale_contract::{answers, crowd::Crowd, MESSAGE_MAX_B};

/// Maps a message to its answer, if any. `None`: broadcast.
type Behaviour = Option<fn(Frame<'_>) -> Option<Frame<'_>>>;

const BEHAVIOURS: [(&str, Behaviour); 5] = [
    ("echo", Some(|frame| matches!(frame.opcode, OpCode::Text | OpCode::Binary).then_some(frame))),
    ("pingpong", Some(|frame| answers::answer_ping(str::from_utf8(&frame.payload).ok()?).map(to_frame))),
    ("idle", Some(|_| None)),
    ("json-ping", Some(|frame| answers::answer_json_ping(str::from_utf8(&frame.payload).ok()?).map(to_frame))),
    ("broadcast", None),
];

static ALL: Crowd<(OpCode, Bytes)> = Crowd::new();

fn to_frame(text: String) -> Frame<'static> {
    Frame::text(text.into_bytes().into())
}

fn main() {
    wscale_contract::serve("fastwebsockets", &BEHAVIOURS, |stream, behaviour| async move {
        let service = service_fn(move |mut request: Request<Incoming>| async move {
            let (response, socket) = upgrade(&mut request)?;
            tokio::spawn(converse(socket, behaviour));
            Ok::<_, WebSocketError>(response)
        });
        // an error means that the client has gone
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
    })
}

async fn converse(socket: UpgradeFut, behaviour: Behaviour) -> Result<(), WebSocketError> {
    let mut socket = socket.await?;
    socket.set_max_message_size(MESSAGE_MAX_B);
    let Some(behaviour) = behaviour else {
        // Separate halves for reading and writing: cancelling a read in order to write would lose a partly read message.
        let (reader, writer) = socket.split(tokio::io::split);
        let (mut reader, writer) = (FragmentCollectorRead::new(reader), &Mutex::new(writer));
        let told = ALL.pass_on(|(opcode, bytes)| async move {
            writer.lock().await.write_frame(Frame::new(true, opcode, None, bytes[..].into())).await
        });
        let read = async {
            loop {
                let frame = reader.read_frame(&mut |due| async { writer.lock().await.write_frame(due).await }).await?;
                match frame.opcode {
                    OpCode::Close => return Ok(()),
                    OpCode::Text | OpCode::Binary => ALL.tell(&(frame.opcode, Vec::from(frame.payload).into())).await,
                    _ => {}
                }
            }
        };
        return tokio::select! { ended = read => ended, ended = told => ended };
    };
    let mut socket = FragmentCollector::new(socket);
    loop {
        let frame = socket.read_frame().await?;
        if frame.opcode == OpCode::Close {
            return Ok(());
        }
        if let Some(answer) = behaviour(frame) {
            socket.write_frame(answer).await?;
        }
    }
}
