//! When the server stalls.

use crate::options::Options;

/// A stall at the beginning of each period.
#[derive(Debug)]
pub struct Stalls {
    length_ns: u64,
    every_ns: u64,
    from_ns: Option<u64>,
}

impl Stalls {
    /// None if the options ask for no stalls.
    pub fn new(options: &Options) -> Option<Self> {
        Some(Self {
            length_ns: options.stall?.as_nanos() as u64,
            every_ns: options.every?.as_nanos() as u64,
            from_ns: options.stall_from.map(|us| us * 1000),
        })
    }

    /// The first message has arrived: the periods begin, unless --stall-from has set their start.
    pub fn begin(&mut self, now_ns: u64) {
        self.from_ns.get_or_insert(now_ns);
    }

    /// The end of the current stall; None if there is none.
    pub fn end_ns(&self, now_ns: u64) -> Option<u64> {
        let since_ns = now_ns.checked_sub(self.from_ns?)?;
        let phase_ns = since_ns % self.every_ns;
        (phase_ns < self.length_ns).then(|| now_ns - phase_ns + self.length_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stalls(from_ns: Option<u64>) -> Stalls {
        Stalls { length_ns: 200, every_ns: 1000, from_ns }
    }

    #[test]
    fn a_stall_ends_its_length_after_the_beginning_of_the_period() {
        let stalls = stalls(Some(5_000));
        assert_eq!(stalls.end_ns(4_999), None);
        assert_eq!(stalls.end_ns(5_000), Some(5_200));
        assert_eq!(stalls.end_ns(7_199), Some(7_200));
        assert_eq!(stalls.end_ns(7_200), None);
        assert_eq!(stalls.end_ns(7_999), None);
    }

    #[test]
    fn without_a_beginning_the_first_message_is_it() {
        let mut stalls = stalls(None);
        assert_eq!(stalls.end_ns(100), None);
        stalls.begin(100);
        stalls.begin(900);
        assert_eq!(stalls.end_ns(299), Some(300));
        assert_eq!(stalls.end_ns(1_100), Some(1_300));
    }
}
