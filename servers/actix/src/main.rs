use actix_web::rt::net::TcpStream;
use actix_web::web::{self, Payload};
use actix_web::{rt, App, Error, HttpRequest, HttpResponse, HttpServer};
use actix_ws::{AggregatedMessage, AggregatedMessageStream, Closed, Session};
use wscale_contract::answers::{answer_json_ping, answer_ping};
use wscale_contract::MESSAGE_MAX_B;

/// From a text to its answer, if it has one; `None`: both types are echoed.
type Behaviour = Option<fn(&str) -> Option<String>>;

const BEHAVIOURS: [(&str, Behaviour); 4] =
    [("echo", None), ("pingpong", Some(answer_ping)), ("idle", Some(|_| None)), ("json-ping", Some(answer_json_ping))];

fn main() {
    wscale_contract::serve_listener("actix-web", &BEHAVIOURS, |listener, behaviour, nodelay| async move {
        let upgrade = move |request, body| upgrade(request, body, behaviour);
        let server = HttpServer::new(move || App::new().default_service(web::to(upgrade)));
        let server = server.workers(1).disable_signals().on_connect(move |stream, _| {
            if let Some(stream) = stream.downcast_ref::<TcpStream>() {
                drop(stream.set_nodelay(nodelay));
            }
        });
        server.listen(listener.into_std()?)?.run().await
    })
}

async fn upgrade(request: HttpRequest, body: Payload, behaviour: Behaviour) -> Result<HttpResponse, Error> {
    let (response, session, messages) = actix_ws::handle(&request, body)?;
    let messages =
        messages.max_frame_size(MESSAGE_MAX_B).aggregate_continuations().max_continuation_size(MESSAGE_MAX_B);
    rt::spawn(converse(session, messages, behaviour));
    Ok(response)
}

async fn converse(
    mut session: Session,
    mut messages: AggregatedMessageStream,
    behaviour: Behaviour,
) -> Result<(), Closed> {
    while let Some(Ok(message)) = messages.recv().await {
        match (message, behaviour) {
            (AggregatedMessage::Ping(bytes), _) => session.pong(&bytes).await?,
            (AggregatedMessage::Close(reason), _) => return session.close(reason).await,
            (AggregatedMessage::Text(text), None) => session.text(text).await?,
            (AggregatedMessage::Binary(bytes), None) => session.binary(bytes).await?,
            (AggregatedMessage::Text(text), Some(answer)) => {
                if let Some(pong) = answer(&text) {
                    session.text(pong).await?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
