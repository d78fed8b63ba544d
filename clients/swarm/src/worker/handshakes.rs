//! Whose turn it is to connect: so many handshakes at a time.

use crate::connection::State;
use std::collections::VecDeque;

pub(super) struct Handshakes {
    /// slots of connections that are due, until fewer handshakes are under way
    waiting: VecDeque<u32>,
    under_way: u32,
    max: u32,
}

impl Handshakes {
    pub fn new(max: u32) -> Self {
        Self { waiting: VecDeque::new(), under_way: 0, max }
    }

    pub fn queue(&mut self, slot: u32) {
        self.waiting.push_back(slot);
    }

    /// One that had its turn, and calls the next address of the server: it has it again, before the others.
    pub fn queue_again(&mut self, slot: u32) {
        self.waiting.push_front(slot);
    }

    /// A connection was in one state, and is in another.
    pub fn count(&mut self, was: State, is: State) {
        self.under_way -= u32::from(was.is_handshake());
        self.under_way += u32::from(is.is_handshake());
    }

    /// Is there one that waits, and may begin?
    #[inline]
    pub fn has_turn(&self) -> bool {
        !self.waiting.is_empty() && self.under_way < self.max
    }

    /// The slot of the next that may begin.
    pub fn next(&mut self) -> Option<u32> {
        if self.under_way < self.max {
            self.waiting.pop_front()
        } else {
            None
        }
    }

    pub fn is_none(&self) -> bool {
        self.under_way == 0 && self.waiting.is_empty()
    }

    pub fn give_up(&mut self) {
        self.waiting.clear();
        self.under_way = 0;
    }
}
