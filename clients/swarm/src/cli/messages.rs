//! Options of a service's own messages.

use super::values::{ready, sent_at};
use crate::message::own::{Own, Ready, SentAt, Step};
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages of your own")]
pub struct MessageOptions {
    /// Send what FILE holds, with {{id}}, {{due_us}} (Unix time), {{connection}}, {{random:N}} (N letters and digits) and what --data says filled in
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
    #[command(flatten)]
    pub opening: Opening,
}

/// `--on-open` and `--ready`, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct Opening(Vec<Step<PathBuf>>);

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages of your own")]
struct OpeningOptions {
    /// Send what FILE holds when a connection is open: log in, join a room; give it again for a further message
    #[arg(long, value_name = "FILE", conflicts_with_all = ["behaviour"])]
    on_open: Vec<PathBuf>,
    /// Wait for a message that has VALUE there, such as /type=welcome, before the next --on-open goes out or the
    /// connection is up
    #[arg(long, value_name = "POINTER=VALUE", value_parser = ready, conflicts_with_all = ["behaviour"])]
    ready: Vec<Ready>,
}

impl FromArgMatches for Opening {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let OpeningOptions { on_open, ready } = OpeningOptions::from_arg_matches(matches)?;
        let places = |id| matches.indices_of(id).into_iter().flatten();
        let sent = places("on_open").zip(on_open.into_iter().map(Step::Send));
        let mut steps: Vec<_> = sent.chain(places("ready").zip(ready.into_iter().map(Step::Await))).collect();
        steps.sort_by_key(|(place, _)| *place);
        Ok(Self(steps.into_iter().map(|(_, step)| step).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Opening {
    fn augment_args(command: Command) -> Command {
        OpeningOptions::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        OpeningOptions::augment_args_for_update(command)
    }
}

impl MessageOptions {
    /// The configuration; `None` if no option was given.
    pub fn to_config(&self) -> Option<Own> {
        let own = Own {
            message: self.message.clone(),
            answer: self.answer.clone(),
            subscribe: self.subscribe,
            sent_at: self.sent_at.clone(),
            opening: self.opening.0.clone(),
        };
        (own != Own::default()).then_some(own)
    }
}
