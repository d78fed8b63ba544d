//! Options of how clients behave.

use super::values::{close_code, number, share};
use crate::config::client::Client;
use clap::Args;
use std::time::Duration;

#[derive(Args, Debug)]
#[command(next_help_heading = "Behaviour of clients")]
pub struct ClientOptions {
    /// Bytes a second that each connection reads, no more; 0 for all that comes
    #[arg(long, value_name = "B/S", value_parser = number, allow_negative_numbers = true, default_value = "0")]
    pub read_rate: f64,
    /// Share of the connections that read nothing once they are open, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true, default_value = "0")]
    pub stop_reading: f64,
    /// Send a ping of WebSocket on each connection so often; 0s for never
    #[arg(long, value_name = "PERIOD", value_parser = super::values::duration, default_value = "0s")]
    pub ping: Duration,
    /// The code to close with
    #[arg(long, value_name = "CODE", value_parser = close_code, default_value = "1000")]
    pub close: u16,
    /// End connections by a reset of TCP, without a close frame
    #[arg(long, conflicts_with = "close")]
    pub abort: bool,
}

impl ClientOptions {
    pub fn to_config(&self) -> Client {
        Client {
            read_rate_b_s: self.read_rate,
            stop_reading: self.stop_reading,
            ping_every_ms: self.ping.as_secs_f64() * 1e3,
            close_code: self.close,
            abort: self.abort,
        }
    }
}
