//! Counts of TLS handshakes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// TLS handshakes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secured {
    /// handshakes by version and cipher suite
    pub agreed: BTreeMap<String, u64>,
    pub resumed: u64,
}

impl Secured {
    pub(super) fn add(&mut self, other: Self) {
        other.agreed.into_iter().for_each(|(agreement, count)| *self.agreed.entry(agreement).or_default() += count);
        self.resumed += other.resumed;
    }
}
