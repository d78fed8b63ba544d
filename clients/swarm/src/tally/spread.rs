//! Messages of the window per connection: connections.tsv.

use super::counts::Counts;
use serde::{Deserialize, Serialize};

/// One connection's messages that were intended in the window. `connection`: index over all processes, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub connection: u32,
    pub due: u64,
    pub sent: u64,
    pub received: u64,
}

/// The connections of one thread. Nothing is counted twice: after each event, the growth of the window's counts is
/// attributed to the event's connection.
pub struct Spread {
    shares: Vec<Share>,
    seen: Counts,
}

impl Spread {
    /// `connections`: their indices, by slot.
    pub fn new(connections: impl Iterator<Item = u32>) -> Self {
        let shares = connections.map(|connection| Share { connection, due: 0, sent: 0, received: 0 }).collect();
        Self { shares, seen: Counts::default() }
    }

    /// Attributes new counts to one connection. Must be called before an event of another.
    pub fn attribute(&mut self, slot: usize, window: &Counts) {
        let share = &mut self.shares[slot];
        share.due += window.due - self.seen.due;
        share.sent += window.sent - self.seen.sent;
        share.received += window.received - self.seen.received;
        self.seen = *window;
    }

    pub fn into_shares(self) -> Vec<Share> {
        self.shares
    }
}

const COLUMNS: &str = "connection\tdue\tsent\treceived\n";

/// The table, sorted by connection.
pub fn table(shares: &[Share]) -> String {
    let mut sorted = shares.to_vec();
    sorted.sort_unstable_by_key(|share| share.connection);
    let line = |Share { connection, due, sent, received }: Share| format!("{connection}\t{due}\t{sent}\t{received}\n");
    std::iter::once(COLUMNS.to_string()).chain(sorted.into_iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_belongs_to_the_connection_to_which_something_happened() {
        let mut spread = Spread::new([1, 3].into_iter());
        spread.attribute(0, &Counts { due: 2, sent: 1, ..Counts::default() });
        spread.attribute(1, &Counts { due: 2, sent: 1, received: 1, ..Counts::default() });
        spread.attribute(0, &Counts { due: 3, sent: 2, received: 1, ..Counts::default() });
        let shares = spread.into_shares();
        assert_eq!(shares[0], Share { connection: 1, due: 3, sent: 2, received: 0 });
        assert_eq!(shares[1], Share { connection: 3, due: 0, sent: 0, received: 1 });
    }

    #[test]
    fn the_table_has_a_line_a_connection_in_order() {
        let share = |connection| Share { connection, due: 9, sent: 8, received: 7 };
        assert_eq!(table(&[share(2), share(0)]), format!("{COLUMNS}0\t9\t8\t7\n2\t9\t8\t7\n"));
    }
}
