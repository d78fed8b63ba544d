//! What each process of a crew reports: progress while it runs, and its result at the end.

use crate::accounts::ProcessUse;
use crate::tally::coarse::Coarse;
use crate::tally::Tally;
use serde::{Deserialize, Serialize};

/// The role of a process that makes load.
pub const CLIENT: &str = "client";

/// Progress of a running load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    pub connected: u64,
    pub due: u64,
    pub sent: u64,
    pub received: u64,
    /// of messages due in the last whole second
    pub latency: Coarse,
}

impl std::iter::Sum for Progress {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut sum, part| {
            sum.latency.add(&part.latency);
            Self {
                connected: sum.connected + part.connected,
                due: sum.due + part.due,
                sent: sum.sent + part.sent,
                received: sum.received + part.received,
                latency: sum.latency,
            }
        })
    }
}

/// The result of one process.
#[derive(Serialize, Deserialize)]
pub struct Share {
    pub tally: Tally,
    pub usage: ProcessUse,
}
