//! A timer wheel with a resolution of 1 us. Its cost does not depend on the number of timers.
//!
//! G. Varghese and T. Lauck, Hashed and Hierarchical Timing Wheels, SOSP 1987. There are eight wheels of 64 slots. A
//! slot of the first wheel is 1 us wide, a slot of each further wheel 64 times as much. An entry moves to finer wheels
//! as its time comes nearer. The entries of a slot form a doubly linked list through one array: nothing is allocated.

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
const LEVELS: usize = 8;
const NONE: u32 = u32::MAX;
/// The slot number of an entry that is in no list.
const IDLE: u16 = u16::MAX;

#[derive(Clone, Copy)]
struct Entry {
    due: u64,
    next: u32,
    previous: u32,
    slot: u16,
}

/// Ids of entries are numbers from 0. Times are in us and only go forward.
pub struct Wheel {
    now: u64,
    heads: [u32; SLOTS * LEVELS],
    /// lower bound of the due times in each slot; its entry may have been cancelled
    least: [u64; SLOTS * LEVELS],
    occupied: [u64; LEVELS],
    entries: Vec<Entry>,
}

impl Wheel {
    /// A wheel for ids below `ids` that starts at `now`.
    pub fn new(ids: usize, now: u64) -> Self {
        let idle = Entry { due: 0, next: NONE, previous: NONE, slot: IDLE };
        Self {
            now,
            heads: [NONE; SLOTS * LEVELS],
            least: [0; SLOTS * LEVELS],
            occupied: [0; LEVELS],
            entries: vec![idle; ids],
        }
    }

    /// Sets or replaces the due time of `id`. A time in the past means now.
    pub fn schedule(&mut self, id: u32, due: u64) {
        self.cancel(id);
        self.insert(id, due.max(self.now));
    }

    /// Removes the timer of `id`, if it has one.
    pub fn cancel(&mut self, id: u32) {
        let Entry { next, previous, slot, .. } = self.entries[id as usize];
        if slot == IDLE {
            return;
        }
        if next != NONE {
            self.entries[next as usize].previous = previous;
        }
        match previous {
            NONE => self.heads[slot as usize] = next,
            _ => self.entries[previous as usize].next = next,
        }
        if self.heads[slot as usize] == NONE {
            self.occupied[slot as usize / SLOTS] &= !(1 << (slot as usize % SLOTS));
        }
        self.entries[id as usize].slot = IDLE;
    }

    fn insert(&mut self, id: u32, due: u64) {
        // the highest bit in which `due` and now differ selects the wheel
        let differing = (due ^ self.now) | (SLOTS as u64 - 1);
        let level = ((63 - differing.leading_zeros()) / BITS).min(LEVELS as u32 - 1) as usize;
        let slot = slot_of(level, due);
        let head = self.heads[slot];
        if head != NONE {
            self.entries[head as usize].previous = id;
            self.least[slot] = self.least[slot].min(due);
        } else {
            self.least[slot] = due;
        }
        self.entries[id as usize] = Entry { due, next: head, previous: NONE, slot: slot as u16 };
        self.heads[slot] = id;
        self.occupied[level] |= 1 << (slot % SLOTS);
    }

    /// Wheel and start time of the first slot in use.
    fn first(&self) -> Option<(usize, u64)> {
        for level in 0..LEVELS {
            let shift = BITS * level as u32;
            let at = (self.now >> shift) as usize % SLOTS;
            let ahead = self.occupied[level] >> at << at;
            if ahead != 0 {
                let index = u64::from(ahead.trailing_zeros());
                let turn = self.now >> shift >> BITS << BITS;
                return Some((level, ((turn | index) << shift).max(self.now)));
            }
        }
        None
    }

    /// Nothing is due before this time; `None` if the wheel is empty. Exact unless the first entry was cancelled.
    pub fn next_due(&self) -> Option<u64> {
        self.first().map(|(level, time)| self.least[slot_of(level, time)].max(time))
    }

    /// Removes the earliest entry that is due by `now`. Returns its id and due time.
    pub fn pop(&mut self, now: u64) -> Option<(u32, u64)> {
        while let Some((level, time)) = self.first() {
            if time > now {
                break;
            }
            self.now = time;
            let slot = slot_of(level, time);
            let id = self.heads[slot];
            if level == 0 {
                self.cancel(id);
                return Some((id, self.entries[id as usize].due));
            }
            self.sink(slot);
        }
        self.now = self.now.max(now);
        None
    }

    /// Moves all entries of a slot to finer wheels.
    fn sink(&mut self, slot: usize) {
        while self.heads[slot] != NONE {
            let id = self.heads[slot];
            self.cancel(id);
            self.insert(id, self.entries[id as usize].due);
        }
    }
}

fn slot_of(level: usize, time: u64) -> usize {
    level * SLOTS + (time >> (BITS * level as u32)) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    fn drain(wheel: &mut Wheel, now: u64) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| wheel.pop(now)).collect()
    }

    #[test]
    fn entries_come_in_the_order_of_their_times_and_never_early() {
        let mut wheel = Wheel::new(3, 1_000);
        wheel.schedule(0, 5_000_000);
        wheel.schedule(1, 1_001);
        wheel.schedule(2, 70_000);
        assert_eq!(drain(&mut wheel, 1_000), []);
        assert_eq!(drain(&mut wheel, 69_999), [(1, 1_001)]);
        assert_eq!(drain(&mut wheel, 9_000_000), [(2, 70_000), (0, 5_000_000)]);
    }

    #[test]
    fn a_time_in_the_past_is_due_at_once() {
        let mut wheel = Wheel::new(1, 500);
        wheel.schedule(0, 3);
        assert_eq!(wheel.next_due(), Some(500));
        assert_eq!(drain(&mut wheel, 500), [(0, 500)]);
    }

    #[test]
    fn the_next_time_is_exact_however_far_it_is() {
        let mut wheel = Wheel::new(3, 1_000);
        wheel.schedule(0, 5_000_001);
        assert_eq!(wheel.next_due(), Some(5_000_001));
        wheel.schedule(1, 5_000_000);
        wheel.schedule(2, 90_000_000);
        assert_eq!(wheel.next_due(), Some(5_000_000));
    }

    #[test]
    fn a_cancelled_entry_is_never_due() {
        let mut wheel = Wheel::new(2, 0);
        wheel.schedule(0, 10);
        wheel.schedule(1, 10);
        wheel.cancel(0);
        assert_eq!(drain(&mut wheel, 100), [(1, 10)]);
        assert_eq!(wheel.next_due(), None);
    }

    #[test]
    fn random_times_come_as_a_sorted_list_would() {
        let mut draws = Draws::new(1, 1);
        let mut wheel = Wheel::new(1_000, 123_456_789);
        let mut due = vec![None; 1_000];
        let mut now = 123_456_789u64;
        for _ in 0..100_000 {
            let id = (draws.draw() * 1_000.0) as u32;
            let ahead = 10f64.powf(draws.draw() * 8.0) as u64;
            wheel.schedule(id, now + ahead);
            due[id as usize] = Some(now + ahead);
            now += (draws.draw() * 300.0) as u64;
            assert!(wheel.next_due().is_none_or(|next| due.iter().flatten().all(|time| next <= *time)));
            let mut last = 0;
            while let Some((id, time)) = wheel.pop(now) {
                assert_eq!(due[id as usize].take(), Some(time));
                assert!(time >= last && time <= now);
                last = time;
            }
            assert!(due.iter().flatten().all(|time| *time > now));
        }
    }
}
