//! Whether a load came to anything at all: who runs swarm in a script learns it from the exit code.

use super::summary::Done;
use super::text::thousands;
use crate::dialect::Behaviour;

/// Why the numbers of a load are none of a server that works, as `<what, with the value>; <next step>`.
pub fn find(done: &Done) -> Option<String> {
    let (config, tally) = (&done.config, &done.tally);
    let mut all = tally.early;
    all.add(&tally.window);
    if tally.connections.opened == 0 {
        let reason = tally.errors.iter().max_by_key(|(_, count)| **count).map_or("no time", |(reason, _)| reason);
        let asked = thousands(u64::from(config.connections));
        if tally.connections.failed_local > 0 {
            return Some(format!("none of {asked} connections opened: {reason}"));
            // which has the next step
        }
        let (url, dialect) = (&config.url, &config.dialect);
        return Some(format!(
            "none of {asked} connections opened ({reason}); see that a server at {url} speaks {dialect}, or name another --dialect"
        ));
    }
    let next = "see that the server has this --behaviour in this --dialect";
    if all.wrong > 0 && all.wrong >= all.received {
        return Some(format!("all of {} answers were wrong; {next}", thousands(all.wrong)));
    }
    let is_silent = all.sent > 0 && all.received == 0 && config.behaviour != Behaviour::Idle;
    is_silent
        .then(|| format!("none of {} messages was answered; {next}, or wait longer with --drain", thousands(all.sent)))
}
