//! The queue of connections that wait to connect. It limits concurrent handshakes.

use crate::connection::State;
use std::collections::VecDeque;

pub(super) struct Handshakes {
    /// slots of connections that are due and wait for their turn
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

    /// Queues a connection that tries the server's next address. It goes before all others.
    pub fn queue_again(&mut self, slot: u32) {
        self.waiting.push_front(slot);
    }

    /// Counts a change of state.
    pub fn count(&mut self, was: State, is: State) {
        self.under_way -= u32::from(was.is_handshake());
        self.under_way += u32::from(is.is_handshake());
    }

    /// Is a connection waiting that may begin?
    #[inline]
    pub fn has_turn(&self) -> bool {
        !self.waiting.is_empty() && self.under_way < self.max
    }

    /// The slot of the next connection that may begin.
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
