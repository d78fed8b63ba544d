use actix_web::{rt, web, App, Error, HttpRequest, HttpResponse, HttpServer};
use actix_ws::{AggregatedMessage as Message, AggregatedMessageStream as Messages, Closed, Session};
use std::sync::Arc;
use wscale_contract::{answers, crowd::Crowd, MESSAGE_MAX_B};

/// Maps a text to its answer, if any. `Some(None)`: echo text and binary. `None`: broadcast.
type Behaviour = Option<Option<fn(&str) -> Option<String>>>;

const BEHAVIOURS: [(&str, Behaviour); 5] = [
    ("echo", Some(None)),
    ("pingpong", Some(Some(answers::answer_ping))),
    ("idle", Some(Some(|_| None))),
    ("json-ping", Some(Some(answers::answer_json_ping))),
    ("broadcast", None),
];

static EVERYONE: Crowd<Arc<Message>> = Crowd::new();

fn main() {
    wscale_contract::serve_listener("actix-web", &BEHAVIOURS, |listener, behaviour, nodelay| async move {
        let upgrade = move |request, body| upgrade(request, body, behaviour);
        let server = HttpServer::new(move || App::new().default_service(web::to(upgrade)));
        let set_nodelay = move |stream: &rt::net::TcpStream| drop(stream.set_nodelay(nodelay));
        let server = server.on_connect(move |stream, _| stream.downcast_ref().map_or((), set_nodelay));
        // Descriptors limit connections, as in the other engines
        server.workers(1).max_connections(1 << 24).disable_signals().listen(listener.into_std()?)?.run().await
    })
}

async fn upgrade(request: HttpRequest, body: web::Payload, behaviour: Behaviour) -> Result<HttpResponse, Error> {
    let (response, session, messages) = actix_ws::handle(&request, body)?;
    let whole = messages.max_frame_size(MESSAGE_MAX_B).aggregate_continuations().max_continuation_size(MESSAGE_MAX_B);
    rt::spawn(converse(session, whole, behaviour));
    Ok(response)
}

async fn converse(mut session: Session, mut messages: Messages, behaviour: Behaviour) -> Result<(), Closed> {
    if behaviour.is_none() {
        rt::spawn(pass_on(session.clone()));
    }
    while let Some(Ok(message)) = messages.recv().await {
        match (message, behaviour) {
            (Message::Ping(bytes), _) => session.pong(&bytes).await?,
            (Message::Close(reason), _) => return session.close(reason).await,
            (message, None) => EVERYONE.tell(&Arc::new(message)).await,
            (Message::Text(text), Some(None)) => session.text(text).await?,
            (Message::Binary(bytes), Some(None)) => session.binary(bytes).await?,
            (Message::Text(text), Some(Some(answer))) => {
                if let Some(pong) = answer(&text) {
                    session.text(pong).await?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Sends broadcast messages until the client has gone or does not read.
async fn pass_on(mut session: Session) -> Result<(), Closed> {
    let mut told = EVERYONE.join();
    while let Some(message) = told.recv().await {
        match &*message {
            Message::Text(text) => session.text(text.clone()).await?,
            Message::Binary(bytes) => session.binary(bytes.clone()).await?,
            _ => {}
        }
    }
    session.close(None).await
}
