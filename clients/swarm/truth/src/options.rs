//! The command line.

use clap::error::ErrorKind;
use clap::Parser;
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// An echo server over WebSocket of known misbehaviour.
///
/// It prints `ready {json}` when it listens, ends on SIGTERM or when its standard input closes, and then prints as JSON how
/// often it did what. An answer suffers one fault at most: reorder before corrupt before duplicate.
#[derive(Debug, Parser)]
#[command(name = "truth-server", version)]
pub struct Options {
    /// Loopback address to listen on
    #[arg(long, default_value = "127.0.0.1", value_parser = parse_loopback)]
    pub address: IpAddr,
    /// Port to listen on; 0: one that is free
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Speak TLS, with a certificate of its own that is written to this file
    #[arg(long, value_name = "FILE")]
    pub tls: Option<PathBuf>,
    /// Serve nothing for so long at the beginning of each period of --every
    #[arg(long, value_name = "TIME", requires = "every", value_parser = humantime::parse_duration)]
    pub stall: Option<Duration>,
    /// The period of --stall
    #[arg(long, value_name = "TIME", requires = "stall", value_parser = humantime::parse_duration)]
    pub every: Option<Duration>,
    /// When the first stall begins, in microseconds of CLOCK_MONOTONIC; without it, just after the first message
    #[arg(long, value_name = "US", requires = "stall")]
    pub stall_from: Option<u64>,
    /// Answer each message exactly so long after it arrived; the server then spins, to be on time
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub delay: Option<Duration>,
    /// Never answer every Nth message, of all connections
    #[arg(long, value_name = "N")]
    pub drop: Option<NonZeroU64>,
    /// Close every Nth connection, with code 1001, after its third message
    #[arg(long, value_name = "N")]
    pub close: Option<NonZeroU64>,
    /// Send every Nth answer twice
    #[arg(long, value_name = "N")]
    pub duplicate: Option<NonZeroU64>,
    /// Send every Nth answer after the next one of its connection; never, when none follows
    #[arg(long, value_name = "N")]
    pub reorder: Option<NonZeroU64>,
    /// Change the last byte of every Nth answer; one of up to eight bytes is left alone
    #[arg(long, value_name = "N")]
    pub corrupt: Option<NonZeroU64>,
}

impl Options {
    /// Reads the command line. On an error, prints it in one line and returns the exit code.
    pub fn read() -> Result<Self, ExitCode> {
        let options = Self::try_parse().map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                print!("{error}");
                ExitCode::SUCCESS
            }
            _ => refuse(&first_paragraph(error.to_string().trim_start_matches("error: "))),
        })?;
        match (options.stall, options.every) {
            (Some(stall), Some(every)) if stall >= every => {
                Err(refuse(&format!("--stall {stall:?} is not shorter than --every {every:?}")))
            }
            _ => Ok(options),
        }
    }
}

/// clap's message on one line, without usage and tips.
fn first_paragraph(text: &str) -> String {
    text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}

fn refuse(what: &str) -> ExitCode {
    eprintln!("error: truth-server: {what}; see truth-server --help");
    ExitCode::from(crate::EXIT_SETTINGS)
}

fn parse_loopback(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|error| format!("{error}"))?;
    if address.is_loopback() {
        Ok(address)
    } else {
        Err("not a loopback address: the server misbehaves, and is for this host alone".into())
    }
}
