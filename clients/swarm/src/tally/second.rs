//! One second of a load.

use super::counts::Row;
use super::sketch::Sketch;
use serde::{Deserialize, Serialize};

/// One second since the start.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Second {
    pub row: Row,
    /// from the intended time, filed under its second
    pub latency: Sketch,
    /// from the actual time
    pub service: Sketch,
    pub connect: Connects,
    /// of what was subscribed to, from the time that it carries, filed under the second in which it came
    pub delivery: Sketch,
    /// of the client's pings, filed under the second in which they went out
    pub ping: Sketch,
    /// from the drop until it was up again, filed under the second of the drop
    pub reconnect: Sketch,
}

/// Times to connect, filed under the second of the call: in all, and its parts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Connects {
    pub whole: Sketch,
    pub tcp: Sketch,
    pub tls: Sketch,
    pub upgrade: Sketch,
    pub dialect: Sketch,
}

impl Second {
    /// Nothing more is expected in it.
    pub(super) fn freeze(&mut self) {
        let Self { latency, service, connect, delivery, ping, reconnect, .. } = self;
        let Connects { whole, tcp, tls, upgrade, dialect } = connect;
        [latency, service, whole, tcp, tls, upgrade, dialect, delivery, ping, reconnect]
            .into_iter()
            .for_each(Sketch::freeze);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.row.add(&other.row);
        self.latency.add(other.latency);
        self.service.add(other.service);
        self.connect.whole.add(other.connect.whole);
        self.connect.tcp.add(other.connect.tcp);
        self.connect.tls.add(other.connect.tls);
        self.connect.upgrade.add(other.connect.upgrade);
        self.connect.dialect.add(other.connect.dialect);
        self.delivery.add(other.delivery);
        self.ping.add(other.ping);
        self.reconnect.add(other.reconnect);
    }
}
