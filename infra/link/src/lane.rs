//! One direction of a link: computes when a frame arrives at the other end.

use std::collections::VecDeque;

/// Bytes on the wire besides the kernel's frame: preamble and start (8), checksum (4), gap (12); IEEE 802.3, clauses 3
/// and 4.4.
const WIRE_ONLY_B: u64 = 24;
/// Minimum frame without its checksum: shorter frames are padded.
const FRAME_MIN_B: u64 = 60;
/// Maximum bytes in the queue. Further frames stay in the kernel's queue; when that is full, the kernel drops and counts them.
const WAITING_MAX_B: usize = 64 << 20;

/// Properties of a link, the same in both directions.
#[derive(Clone, Copy)]
pub struct Terms {
    /// In each direction; 0: no limit.
    pub rate_mbit: u64,
    pub delay_ns: u64,
}

/// Store and forward: a frame leaves completely, after the previous one, and then travels for the delay. Like a token
/// bucket with a burst of one frame.
pub struct Lane {
    terms: Terms,
    free_at_ns: u64,
    waiting: VecDeque<(u64, Box<[u8]>)>,
    waiting_b: usize,
}

impl Lane {
    pub fn new(terms: Terms) -> Self {
        Self { terms, free_at_ns: 0, waiting: VecDeque::new(), waiting_b: 0 }
    }

    /// Changes the terms for later frames. These never overtake earlier ones.
    pub fn change(&mut self, terms: Terms) {
        self.terms = terms;
    }

    pub fn has_room(&self) -> bool {
        self.waiting_b < WAITING_MAX_B
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn send(&mut self, now_ns: u64, frame: &[u8]) {
        self.free_at_ns = self.free_at_ns.max(now_ns) + self.time_on_wire_ns(frame.len());
        let last_ns = self.waiting.back().map_or(0, |(due_ns, _)| *due_ns);
        self.waiting.push_back(((self.free_at_ns + self.terms.delay_ns).max(last_ns), frame.into()));
        self.waiting_b += frame.len();
    }

    /// The next frame that has arrived by now, in the order of sending.
    pub fn receive(&mut self, now_ns: u64) -> Option<Box<[u8]>> {
        let (due_ns, _) = self.waiting.front()?;
        if *due_ns > now_ns {
            return None;
        }
        let (_, frame) = self.waiting.pop_front()?;
        self.waiting_b -= frame.len();
        Some(frame)
    }

    fn time_on_wire_ns(&self, frame_b: usize) -> u64 {
        match self.terms.rate_mbit {
            0 => 0,
            rate => ((frame_b as u64).max(FRAME_MIN_B) + WIRE_ONLY_B) * 8 * 1000 / rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIGABIT: Terms = Terms { rate_mbit: 1000, delay_ns: 50_000 };
    const WHOLE_FRAME: [u8; 1514] = [0; 1514];

    /// The arrival time of the next frame, checked to the nanosecond.
    fn arrival_ns(lane: &mut Lane) -> u64 {
        let due_ns = lane.waiting.front().expect("a frame is on its way").0;
        assert!(lane.receive(due_ns - 1).is_none());
        assert!(lane.receive(due_ns).is_some());
        due_ns
    }

    #[test]
    fn a_frame_of_ethernets_mtu_takes_12304_ns_at_a_gigabit_and_then_the_delay() {
        let mut lane = Lane::new(GIGABIT);
        lane.send(1_000, &WHOLE_FRAME);
        assert_eq!(arrival_ns(&mut lane), 1_000 + 12_304 + 50_000);
    }

    #[test]
    fn a_short_frame_takes_as_long_as_the_least_of_ethernet() {
        let mut lane = Lane::new(GIGABIT);
        lane.send(0, &[0; 42]);
        assert_eq!(arrival_ns(&mut lane), 672 + 50_000);
    }

    #[test]
    fn frames_that_are_sent_together_leave_one_after_the_other() {
        let mut lane = Lane::new(GIGABIT);
        for _ in 0..3 {
            lane.send(0, &WHOLE_FRAME);
        }
        assert_eq!([0; 3].map(|_| arrival_ns(&mut lane)), [1, 2, 3].map(|k| k * 12_304 + 50_000));
    }

    #[test]
    fn a_lane_that_rested_keeps_nothing_for_later() {
        let mut lane = Lane::new(GIGABIT);
        lane.send(0, &WHOLE_FRAME);
        arrival_ns(&mut lane);
        for _ in 0..2 {
            lane.send(1_000_000, &WHOLE_FRAME);
        }
        assert_eq!([0; 2].map(|_| arrival_ns(&mut lane)), [1, 2].map(|k| 1_000_000 + k * 12_304 + 50_000));
    }

    #[test]
    fn without_a_rate_a_frame_takes_the_delay_alone() {
        let mut lane = Lane::new(Terms { rate_mbit: 0, delay_ns: 500 });
        lane.send(7, &WHOLE_FRAME);
        assert_eq!(arrival_ns(&mut lane), 507);
    }

    #[test]
    fn no_frame_overtakes_another_when_the_delay_falls() {
        let mut lane = Lane::new(GIGABIT);
        lane.send(0, &WHOLE_FRAME);
        lane.change(Terms { rate_mbit: 0, delay_ns: 0 });
        lane.send(20_000, &[1]);
        assert_eq!([0; 2].map(|_| arrival_ns(&mut lane)), [62_304; 2]);
    }

    #[test]
    fn a_lane_that_is_full_has_no_room_until_a_frame_has_left() {
        let mut lane = Lane::new(GIGABIT);
        while lane.has_room() {
            lane.send(0, &[0; 1 << 20]);
        }
        assert!(lane.receive(u64::MAX).is_some() && lane.has_room());
    }
}
