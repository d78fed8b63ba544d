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
    /// from the actual time, filed likewise
    pub service: Sketch,
    pub connect: Connects,
    /// of subscribed messages, from the time they carry, filed under the second of arrival
    pub delivery: Sketch,
    /// of the client's pings, filed under the second of sending
    pub ping: Sketch,
    /// from a drop until the connection is up again, filed under the second of the drop
    pub reconnect: Sketch,
}

/// Times to connect, in total and by step, filed under the second of connect(2).
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Connects {
    pub whole: Sketch,
    pub tcp: Sketch,
    pub tls: Sketch,
    pub upgrade: Sketch,
    pub dialect: Sketch,
}

impl Second {
    /// Makes the histograms small: few more values will come.
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
