//! Shared by the Rust libraries (../README.md, The library's program): reads commands, prints times. One thread.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::future::Future;
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Instant;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Where to connect.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub url: &'a str,
    /// host:port
    pub address: &'a str,
    pub nodelay: bool,
}

pub trait Connection: Sized {
    type Answer: AsRef<[u8]>;
    fn connect(target: Target) -> impl Future<Output = Result<Self>>;
    /// Returns once the last byte of the answer has arrived.
    fn echo(&mut self, payload: Vec<u8>) -> impl Future<Output = Result<Self::Answer>>;
    fn close(self) -> impl Future<Output = Result<()>>;
}

/// Runs commands until the end of standard input, then exits.
pub fn drive<C: Connection>() -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime of one thread");
    match runtime.block_on(obey::<C>()) {
        Ok(()) => exit(0),
        Err(error) => {
            eprintln!("{error}");
            exit(70)
        }
    }
}

async fn obey<C: Connection>() -> Result<()> {
    let url = env::var("WSCALE_URL")?;
    let address = url.split("://").last().unwrap_or_default();
    let target = Target { url: &url, address, nodelay: env::var("WSCALE_NODELAY").is_ok_and(|value| value == "on") };
    let mut open: Option<C> = None;
    let mut payloads = HashMap::new(); // cached: making one takes longer than an echo
    say("ready")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split(' ');
        let command = words.next().unwrap_or_default();
        let answer = match (command, open.take()) {
            ("connect", _) => {
                let begin = Instant::now();
                open = Some(C::connect(target).await?);
                format!("connected {}", begin.elapsed().as_nanos())
            }
            ("echo", Some(mut connection)) => {
                let [size_b, count] =
                    [words.next(), words.next()].map(|word| word.unwrap_or_default().parse::<usize>());
                let payload = payloads.entry(size_b?).or_insert_with_key(|size_b| make_payload(*size_b));
                let times_ns = echo(&mut connection, payload, count?).await?;
                open = Some(connection);
                format!("echoed {times_ns}")
            }
            ("close", Some(connection)) => {
                connection.close().await?;
                "closed".into()
            }
            _ => return Err(format!("{line}: no such command, or no connection").into()),
        };
        say(&answer)?;
    }
    Ok(())
}

async fn echo<C: Connection>(connection: &mut C, expected: &[u8], count: usize) -> Result<String> {
    let mut times_ns = Vec::with_capacity(count);
    for _ in 0..count {
        let payload = expected.to_vec(); // a copy: a library may mask it in place
        let begin = Instant::now();
        let answer = connection.echo(payload).await?;
        times_ns.push(begin.elapsed().as_nanos().to_string());
        if answer.as_ref() != expected {
            return Err(format!("an echo of {} B came back as other bytes", expected.len()).into());
        }
    }
    Ok(times_ns.join(" "))
}

/// The same bytes in every language. With `whole` reading, the length comes first.
fn make_payload(size_b: usize) -> Vec<u8> {
    let is_whole = env::var("WSCALE_READING").is_ok_and(|value| value == "whole");
    let length = is_whole.then(|| (size_b as u32).to_be_bytes());
    length.into_iter().flatten().chain((0..size_b).map(|i| (i % 251) as u8)).collect()
}

fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}
