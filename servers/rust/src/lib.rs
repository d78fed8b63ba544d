//! The parts of ../CONTRACT.md that all Rust servers share, so that each engine's own file stays small. One process, of role
//! `worker`, on tokio's single-threaded runtime. Nothing here runs per message, except `answers` and `crowd`.

pub mod answers;
pub mod crowd;
mod ending;
mod settings;

use ending::{fail, fail_with, INTERNAL, SYSTEM};
use serde_json::json;
pub use settings::read_option;
use settings::Settings;
use std::future::Future;
use std::io::{self, Write};
use std::{env, process};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::signal::unix::{signal, SignalKind};

/// The same limit for all engines (../CONTRACT.md, Configuration). No Rust engine queues answers without a limit, so there
/// is no limit for unsent bytes.
pub const MESSAGE_MAX_B: usize = 100 << 20;

/// The lock file of this build: with --locked, cargo uses no other.
const LOCK: &str = include_str!("../../Cargo.lock");

/// Runs a server: checks its environment, listens, prints `ready`, and serves each connection in its own task.
/// The engine's version is that of the crate `package`; `behaviours` are by name.
pub fn serve<B, F>(package: &str, behaviours: &[(&str, B)], converse: impl Fn(TcpStream, B) -> F) -> !
where
    B: Copy,
    F: Future<Output = ()> + Send + 'static,
{
    serve_listener(package, behaviours, |listener, behaviour, nodelay| {
        accept(listener, nodelay, move |stream| converse(stream, behaviour))
    })
}

/// Runs a server whose engine accepts connections itself. `take` gets the listener, the behaviour, and whether to set
/// TCP_NODELAY.
pub fn serve_listener<B, F>(package: &str, behaviours: &[(&str, B)], take: impl FnOnce(TcpListener, B, bool) -> F) -> !
where
    B: Copy,
    F: Future<Output = io::Result<()>>,
{
    ending::guard();
    let settings = Settings::read(behaviours);
    let version = version_of(package);
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| fail_with("cannot start the runtime", &error));
    runtime.block_on(async {
        stop_when_asked().unwrap_or_else(|error| fail_with("cannot watch for signals", &error));
        let listener = TcpListener::bind(settings.address)
            .await
            .unwrap_or_else(|error| fail_with(&format!("cannot listen on {}", settings.address), &error));
        print_ready(version, settings.address.port());
        match take(listener, settings.behaviour, settings.nodelay).await {
            Err(error) => fail_with("cannot accept", &error),
            Ok(()) => fail(INTERNAL, "the engine takes no more connections", "run it again"),
        }
    })
}

/// Accepts for ever. Sets TCP_NODELAY by default, as every WebSocket engine does. Without it a small answer may wait for
/// the acknowledgement of the previous one (RFC 9293, section 3.7.4).
async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    nodelay: bool,
    converse: impl Fn(TcpStream) -> F,
) -> io::Result<()> {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if stream.set_nodelay(nodelay).is_ok() {
                    tokio::spawn(converse(stream));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {} // the client left before we accepted
            Err(error) => return Err(error),
        }
    }
}

/// Ends the process at once on SIGTERM and SIGINT, which closes every connection.
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

/// The version of a crate in this binary. If the workspace has several versions, the lock file names this server's version
/// among its dependencies.
fn version_of(package: &str) -> &'static str {
    let program = env::current_exe().unwrap_or_default();
    let server = format!("name = \"{}\"\n", program.file_name().unwrap_or_default().to_string_lossy());
    let own = LOCK.split("[[package]]").find(|entry| entry.contains(&server)).unwrap_or_default();
    let chosen = own.split_once(&format!("\"{package} ")).map(|(_, after)| after);
    let only = LOCK.split_once(&format!("name = \"{package}\"\nversion = \"")).map(|(_, after)| after);
    chosen
        .or(only)
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
