//! Refused upgrades.

use crate::secrets::mask_query;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

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
        keep(&mut refused.locations, location.map(mask_query));
        keep(&mut refused.retry_after, retry_after.map(str::to_string));
    }

    /// The headers of refusals that have this reason; empty for another reason.
    pub fn headers_of(&self, reason: &str) -> String {
        let is_of = |status: &u16| reason.contains(&format!("not upgraded: HTTP {status}"));
        self.0.iter().find(|(status, _)| is_of(status)).map_or(String::new(), |(_, refused)| refused.headers())
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

impl Refused {
    /// `, Location: a, b, Retry-After: 7`
    pub fn headers(&self) -> String {
        let named = [("Location", &self.locations), ("Retry-After", &self.retry_after)];
        let told = named.into_iter().filter(|(_, words)| !words.is_empty());
        told.map(|(name, words)| format!(", {name}: {}", Vec::from_iter(words.iter().map(String::as_str)).join(", ")))
            .collect()
    }
}

/// `3 x HTTP 301, Location: /there; 2 x HTTP 503`
impl fmt::Display for Refusals {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let told =
            self.0.iter().map(|(status, refused)| format!("{} x HTTP {status}{}", refused.count, refused.headers()));
        out.write_str(&told.collect::<Vec<_>>().join("; "))
    }
}

fn keep(words: &mut BTreeSet<String>, more: impl IntoIterator<Item = String>) {
    for word in more {
        if words.len() < WORDS_MAX {
            words.insert(word);
        }
    }
}
