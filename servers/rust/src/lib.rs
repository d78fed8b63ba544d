//! What ../CONTRACT.md asks of every server, for those in Rust: of one process, of role `worker`, on tokio with as many threads
//! as it has cores. Each engine's own file stays tiny, and nothing here runs once a message, save `answers`.

pub mod answers;
mod ending;
mod settings;

use ending::{fail, fail_with, INTERNAL, SYSTEM};
use serde_json::json;
pub use settings::read_option;
use settings::Settings;
use std::future::Future;
use std::io::{self, Write};
use std::process;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::signal::unix::{signal, SignalKind};

/// The lock file that this was built from: cargo takes no other with --locked.
const LOCK: &str = include_str!("../../Cargo.lock");

/// Runs a server: checks its environment, listens, says that it is ready, and has each connection served in a task of its own.
/// `package` is the crate whose version is the engine's, `behaviours` are those that it has, by name.
pub fn serve<B, F>(package: &str, behaviours: &[(&str, B)], converse: impl Fn(TcpStream, B) -> F) -> !
where
    B: Copy,
    F: Future<Output = ()> + Send + 'static,
{
    ending::guard();
    let settings = Settings::read(behaviours);
    let version = version_of(package);
    let runtime = Runtime::new().unwrap_or_else(|error| fail_with("cannot start threads", &error));
    runtime.block_on(async {
        stop_when_asked().unwrap_or_else(|error| fail_with("cannot watch for signals", &error));
        let listener = TcpListener::bind(settings.address)
            .await
            .unwrap_or_else(|error| fail_with(&format!("cannot listen on {}", settings.address), &error));
        print_ready(version, settings.address.port());
        accept(listener, settings.nodelay, |stream| converse(stream, settings.behaviour)).await
    })
}

/// Accepts for ever. TCP_NODELAY as every WebSocket engine has it, unless asked otherwise: without it a small answer may wait for the
/// acknowledgement of the one before (RFC 9293, section 3.7.4).
async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    nodelay: bool,
    converse: impl Fn(TcpStream) -> F,
) -> ! {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if stream.set_nodelay(nodelay).is_ok() {
                    tokio::spawn(converse(stream));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {} // the client left before
            Err(error) => fail_with("cannot accept", &error),
        }
    }
}

/// On SIGTERM and SIGINT the process ends at once, which closes every connection.
fn stop_when_asked() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        process::exit(0)
    });
    Ok(())
}

/// The version of a crate, as it was built in.
fn version_of(package: &str) -> &'static str {
    let name = format!("name = \"{package}\"\nversion = \"");
    let after = LOCK.split_once(&name).map(|(_, after)| after);
    after
        .and_then(|after| after.split('"').next())
        .unwrap_or_else(|| fail(INTERNAL, &format!("no crate {package} in Cargo.lock"), "name one that is"))
}

fn print_ready(version: &str, port: u16) {
    let processes = [json!({ "pid": process::id(), "role": "worker", "index": 1 })];
    let report = json!({ "engine": settings::name(), "version": version, "port": port, "processes": processes });
    let mut output = io::stdout().lock();
    if let Err(error) = writeln!(output, "ready {report}").and_then(|()| output.flush()) {
        fail(SYSTEM, &format!("cannot say ready: {error}"), "keep standard output open");
    }
}
