//! What TLS came to.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Handshakes of TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secured {
    /// how many agreed on which version and cipher
    pub agreed: BTreeMap<String, u64>,
    pub resumed: u64,
}

impl Secured {
    pub(super) fn add(&mut self, other: Self) {
        other.agreed.into_iter().for_each(|(agreement, count)| *self.agreed.entry(agreement).or_default() += count);
        self.resumed += other.resumed;
    }
}
