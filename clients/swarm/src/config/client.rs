//! How clients behave, apart from what they send.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// Maximum read rate of each connection; 0: no limit
    pub read_rate_b_s: f64,
    /// Share of connections that stop reading once they are open
    pub stop_reading: f64,
    /// Period of WebSocket pings on each connection; 0: none
    pub ping_every_ms: f64,
    /// Code of the close frame
    pub close_code: u16,
    /// End connections by a TCP reset, without a close frame
    pub abort: bool,
}

impl Default for Client {
    fn default() -> Self {
        Self { read_rate_b_s: 0.0, stop_reading: 0.0, ping_every_ms: 0.0, close_code: 1000, abort: false }
    }
}

impl Client {
    /// Do all connections read without limit?
    pub fn reads_freely(&self) -> bool {
        self.read_rate_b_s == 0.0 && self.stop_reading == 0.0
    }

    /// Does this connection stop reading? The share `stop_reading` of them do, evenly spaced.
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
