//! Refused upgrades.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Most different header values kept per status.
const WORDS_MAX: usize = 5;

/// Refused upgrades by status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusals(pub BTreeMap<u16, Refused>);

/// Refused upgrades of one status, with the values of Location and Retry-After.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub count: u64,
    pub locations: BTreeSet<String>,
    pub retry_after: BTreeSet<String>,
}

impl Refusals {
    pub fn count(&mut self, status: u16, location: Option<&str>, retry_after: Option<&str>) {
        let refused = self.0.entry(status).or_default();
        refused.count += 1;
        keep(&mut refused.locations, location.map(str::to_string));
        keep(&mut refused.retry_after, retry_after.map(str::to_string));
    }

    pub(super) fn add(&mut self, other: Self) {
        for (status, added) in other.0 {
            let refused = self.0.entry(status).or_default();
            refused.count += added.count;
            keep(&mut refused.locations, added.locations);
            keep(&mut refused.retry_after, added.retry_after);
        }
    }
}

fn keep(words: &mut BTreeSet<String>, more: impl IntoIterator<Item = String>) {
    for word in more {
        if words.len() < WORDS_MAX {
            words.insert(word);
        }
    }
}
