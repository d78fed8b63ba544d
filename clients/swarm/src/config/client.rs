//! How clients behave beside what they send.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// Each connection reads no faster; 0: as fast as it can
    pub read_rate_b_s: f64,
    /// This share of the connections reads nothing once it is open
    pub stop_reading: f64,
    /// Each connection sends a ping of WebSocket so often; 0: never
    pub ping_every_ms: f64,
    /// Of the close frame
    pub close_code: u16,
    /// Connections end by a reset of TCP, with no close frame
    pub abort: bool,
}

impl Default for Client {
    fn default() -> Self {
        Self { read_rate_b_s: 0.0, stop_reading: 0.0, ping_every_ms: 0.0, close_code: 1000, abort: false }
    }
}

impl Client {
    /// Does it read all that comes, at once?
    pub fn reads_freely(&self) -> bool {
        self.read_rate_b_s == 0.0 && self.stop_reading == 0.0
    }

    /// Does this connection stop to read? As many do, evenly over all, as the share says.
    pub fn stops(&self, connection: u32) -> bool {
        let until = |count: u32| (f64::from(count) * self.stop_reading + 1e-9).floor();
        until(connection.saturating_add(1)) > until(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_stop_to_read_as_the_share_says() {
        for (share, expected) in [(0.0, 0), (0.1, 10), (0.25, 25), (1.0, 100)] {
            let client = Client { stop_reading: share, ..Client::default() };
            assert_eq!((0..100).filter(|connection| client.stops(*connection)).count(), expected, "{share}");
        }
    }
}
