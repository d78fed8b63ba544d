//! Counts of compression.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Handshakes, and bytes of messages before and after compression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deflated {
    /// handshakes by agreed parameters
    pub agreed: BTreeMap<String, u64>,
    /// handshakes in which the server declined the offer
    pub declined: u64,
    pub sent_b: u64,
    pub sent_wire_b: u64,
    pub received_b: u64,
    pub received_wire_b: u64,
}

impl Deflated {
    pub fn agree(&mut self, agreed: Option<String>) {
        match agreed {
            Some(agreed) => *self.agreed.entry(agreed).or_default() += 1,
            None => self.declined += 1,
        }
    }

    pub fn sent(&mut self, bytes: usize, wire_b: usize) {
        self.sent_b += bytes as u64;
        self.sent_wire_b += wire_b as u64;
    }

    pub fn received(&mut self, bytes: usize, wire_b: usize) {
        self.received_b += bytes as u64;
        self.received_wire_b += wire_b as u64;
    }

    /// Bytes saved in both directions; negative if messages grew.
    pub fn saved_b(&self) -> i64 {
        (self.sent_b + self.received_b) as i64 - (self.sent_wire_b + self.received_wire_b) as i64
    }

    pub(super) fn add(&mut self, other: Self) {
        other.agreed.into_iter().for_each(|(agreed, count)| *self.agreed.entry(agreed).or_default() += count);
        self.declined += other.declined;
        self.sent_b += other.sent_b;
        self.sent_wire_b += other.sent_wire_b;
        self.received_b += other.received_b;
        self.received_wire_b += other.received_wire_b;
    }
}
