//! The messages of one connection that are still out, and which of them an answer answers.

use std::collections::VecDeque;

/// A message that was sent. Times are ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub intended_ns: u64,
    /// 0 as long as the socket has not taken all of it
    pub actual_ns: u64,
    /// which payload of the pool it carries
    pub payload: u32,
}

/// What an answer with a sequence number is.
#[derive(Debug, PartialEq, Eq)]
pub enum Match {
    /// The oldest message, or a later one whose forerunners have not been answered (yet)
    InOrder(Sent),
    /// One whose successor was answered before it
    OutOfOrder(Sent),
    /// One that was answered before
    Duplicate,
    /// None that was ever sent
    Stray,
}

/// Messages are numbered from 0 in the order they are sent.
#[derive(Debug, Default)]
pub struct Flight {
    queue: VecDeque<Sent>,
    /// number of the first in `queue`
    first: u64,
    /// passed over by an answer to a later one
    skipped: Vec<(u64, Sent)>,
}

impl Flight {
    /// How many are out.
    #[inline]
    pub fn len(&self) -> usize {
        self.queue.len() + self.skipped.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number that the next message gets.
    #[inline]
    pub fn next_number(&self) -> u64 {
        self.first + self.queue.len() as u64
    }

    #[inline]
    pub fn push(&mut self, sent: Sent) {
        self.queue.push_back(sent);
    }

    /// Gives a number to a message that waits for no answer.
    pub fn skip_number(&mut self) {
        self.first += 1;
    }

    /// The message that was sent first.
    pub fn oldest(&self) -> Option<&Sent> {
        self.skipped.first().map(|(_, sent)| sent).or(self.queue.front())
    }

    /// Says when the socket took a message, if it has not been answered before.
    pub fn set_actual(&mut self, number: u64, actual_ns: u64) {
        if let Some(sent) = number.checked_sub(self.first).and_then(|at| self.queue.get_mut(at as usize)) {
            sent.actual_ns = actual_ns;
        }
    }

    /// Takes the oldest message: answers without a number come first in, first out.
    #[inline]
    pub fn take_oldest(&mut self) -> Option<Sent> {
        if !self.skipped.is_empty() {
            return Some(self.skipped.remove(0).1);
        }
        let sent = self.queue.pop_front();
        self.first += u64::from(sent.is_some());
        sent
    }

    /// Takes the message of a number that is known modulo a power of two.
    #[inline]
    pub fn take(&mut self, number: u64, modulus: u64) -> Match {
        let ahead = number.wrapping_sub(self.first) & (modulus - 1);
        if ahead == 0 {
            if let Some(sent) = self.queue.pop_front() {
                self.first += 1;
                return Match::InOrder(sent);
            }
        }
        self.take_other(ahead, modulus)
    }

    fn take_other(&mut self, ahead: u64, modulus: u64) -> Match {
        if ahead < self.queue.len() as u64 {
            for _ in 0..ahead {
                self.skipped.extend(self.queue.pop_front().map(|sent| (self.first, sent)));
                self.first += 1;
            }
            self.first += 1;
            return self.queue.pop_front().map_or(Match::Stray, Match::InOrder);
        }
        let behind = modulus - ahead;
        match self
            .skipped
            .iter()
            .position(|(number, _)| (self.first - number) & (modulus - 1) == behind & (modulus - 1))
        {
            Some(at) => Match::OutOfOrder(self.skipped.remove(at).1),
            None if behind <= self.first.min(modulus / 2) => Match::Duplicate,
            None => Match::Stray,
        }
    }

    /// Takes all that is out, the oldest first, and forgets the numbers.
    pub fn drain(&mut self) -> impl Iterator<Item = Sent> {
        let Self { queue, skipped, .. } = std::mem::take(self);
        skipped.into_iter().map(|(_, sent)| sent).chain(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULUS: u64 = 64;

    fn sent(at: u64) -> Sent {
        Sent { intended_ns: at, actual_ns: at, payload: 0 }
    }

    fn flight(count: u64) -> Flight {
        let mut flight = Flight::default();
        (0..count).for_each(|at| flight.push(sent(at)));
        flight
    }

    #[test]
    fn answers_in_order_match_message_by_message_past_the_modulus() {
        let mut flight = flight(1000);
        for at in 0..1000 {
            assert_eq!(flight.take(at % MODULUS, MODULUS), Match::InOrder(sent(at)));
        }
        assert!(flight.is_empty());
    }

    #[test]
    fn an_answer_left_out_stays_out_and_shifts_nothing() {
        let mut flight = flight(4);
        assert_eq!(flight.take(0, MODULUS), Match::InOrder(sent(0)));
        assert_eq!(flight.take(2, MODULUS), Match::InOrder(sent(2)));
        assert_eq!(flight.take(3, MODULUS), Match::InOrder(sent(3)));
        assert_eq!(flight.drain().collect::<Vec<_>>(), [sent(1)]);
    }

    #[test]
    fn an_answer_after_its_successors_is_out_of_order() {
        let mut flight = flight(2);
        assert_eq!(flight.take(1, MODULUS), Match::InOrder(sent(1)));
        assert_eq!(flight.take(0, MODULUS), Match::OutOfOrder(sent(0)));
        assert!(flight.is_empty());
    }

    #[test]
    fn a_second_answer_is_a_duplicate() {
        let mut flight = flight(2);
        flight.take(0, MODULUS);
        assert_eq!(flight.take(0, MODULUS), Match::Duplicate);
        flight.take(1, MODULUS);
        assert_eq!(flight.take(1, MODULUS), Match::Duplicate);
    }

    #[test]
    fn an_answer_to_nothing_is_stray() {
        assert_eq!(Flight::default().take(0, MODULUS), Match::Stray);
        assert_eq!(flight(2).take(2, MODULUS), Match::Stray);
        assert_eq!(flight(2).take(63, MODULUS), Match::Stray);
    }

    #[test]
    fn answers_without_numbers_match_the_oldest() {
        let mut flight = flight(2);
        assert_eq!(flight.take_oldest(), Some(sent(0)));
        assert_eq!(flight.take_oldest(), Some(sent(1)));
        assert_eq!(flight.take_oldest(), None);
    }

    #[test]
    fn the_time_of_sending_can_be_told_later() {
        let mut flight = flight(3);
        flight.take_oldest();
        flight.set_actual(2, 99);
        flight.set_actual(0, 99);
        assert_eq!(flight.drain().map(|sent| sent.actual_ns).collect::<Vec<_>>(), [1, 99]);
    }
}
