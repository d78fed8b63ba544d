//! Options of a service's own messages.

use super::values::{ready, sent_at};
use crate::message::own::{Own, Ready, SentAt};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages of your own")]
pub struct MessageOptions {
    /// Send what FILE holds, with {{id}}, {{connection}}, {{due_us}} (Unix time) and {{random:N}} (N letters) filled in
    #[arg(long, value_name = "FILE", conflicts_with_all = ["behaviour", "size"])]
    pub message: Option<PathBuf>,
    /// Where the JSON of an answer carries the id: a JSON pointer, /data/id; or ack, of Socket.IO
    #[arg(long, value_name = "POINTER", requires = "message")]
    pub answer: Option<String>,
    /// Count what comes and answers nothing as what was subscribed to
    #[arg(long, conflicts_with_all = ["behaviour"])]
    pub subscribe: bool,
    /// Where such a message carries the Unix time that its latency counts from, in us, or with ,s ,ms or ,ns behind it
    #[arg(long, value_name = "POINTER[,UNIT]", value_parser = sent_at, requires = "subscribe")]
    pub sent_at: Option<SentAt>,
    /// Send what FILE holds when a connection is open: log in, join a room; give it again for a further message
    #[arg(long, value_name = "FILE", conflicts_with_all = ["behaviour"])]
    pub on_open: Vec<PathBuf>,
    /// A connection is up when a message has VALUE there, such as /type=welcome
    #[arg(long, value_name = "POINTER=VALUE", value_parser = ready, conflicts_with_all = ["behaviour"])]
    pub ready: Option<Ready>,
}

impl MessageOptions {
    /// The configuration; `None` if no option was given.
    pub fn to_config(&self) -> Option<Own> {
        let own = Own {
            message: self.message.clone(),
            answer: self.answer.clone(),
            subscribe: self.subscribe,
            sent_at: self.sent_at.clone(),
            on_open: self.on_open.clone(),
            ready: self.ready.clone(),
        };
        (own != Own::default()).then_some(own)
    }
}
