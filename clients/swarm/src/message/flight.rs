//! The messages of one connection that are still out, and which of them an answer answers.

use std::collections::VecDeque;

/// A message that was sent. Times are ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub intended_ns: u64,
    /// when the socket took all of it; until then, when it was to
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

/// Messages are numbered from 0 in the order they are sent. The oldest stands here and not in a list, since most
/// connections have one out: with thousands of them, each look at memory elsewhere is a wait.
#[derive(Debug, Default)]
pub struct Flight {
    /// number of the oldest that has not been passed over
    first: u64,
    oldest: Option<Sent>,
    rest: Option<Box<Rest>>,
}

#[derive(Debug, Default)]
struct Rest {
    /// after the oldest
    queue: VecDeque<Sent>,
    /// passed over by an answer to a later one
    skipped: Vec<(u64, Sent)>,
}

impl Flight {
    /// How many are out.
    #[inline]
    pub fn len(&self) -> usize {
        self.queued() + self.rest.as_ref().map_or(0, |rest| rest.skipped.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn queued(&self) -> usize {
        usize::from(self.oldest.is_some()) + self.rest.as_ref().map_or(0, |rest| rest.queue.len())
    }

    /// The number that the next message gets.
    #[inline]
    pub fn next_number(&self) -> u64 {
        self.first + self.queued() as u64
    }

    #[inline]
    pub fn push(&mut self, sent: Sent) {
        if self.oldest.is_none() {
            self.oldest = Some(sent);
        } else {
            self.rest.get_or_insert_default().queue.push_back(sent);
        }
    }

    /// Gives a number to a message that waits for no answer.
    pub fn skip_number(&mut self) {
        self.first += 1;
    }

    /// The message that was sent first.
    pub fn oldest(&self) -> Option<&Sent> {
        let skipped = self.rest.as_ref().and_then(|rest| rest.skipped.first());
        skipped.map(|(_, sent)| sent).or(self.oldest.as_ref())
    }

    /// Says when the socket took a message, if it has not been answered before.
    pub fn set_actual(&mut self, number: u64, actual_ns: u64) {
        let sent = match (number.checked_sub(self.first), &mut self.rest) {
            (Some(0), _) => self.oldest.as_mut(),
            (Some(at), Some(rest)) => rest.queue.get_mut(at as usize - 1),
            _ => None,
        };
        if let Some(sent) = sent {
            sent.actual_ns = actual_ns;
        }
    }

    /// Takes the first that has not been passed over.
    #[inline]
    fn shift(&mut self) -> Option<Sent> {
        let sent = self.oldest.take()?;
        self.first += 1;
        if let Some(rest) = &mut self.rest {
            self.oldest = rest.queue.pop_front();
        }
        Some(sent)
    }

    /// Takes the oldest message: answers without a number come first in, first out.
    #[inline]
    pub fn take_oldest(&mut self) -> Option<Sent> {
        match &mut self.rest {
            Some(rest) if !rest.skipped.is_empty() => Some(rest.skipped.remove(0).1),
            _ => self.shift(),
        }
    }

    /// Takes the message of a number that is known modulo a power of two.
    #[inline]
    pub fn take(&mut self, number: u64, modulus: u64) -> Match {
        let ahead = number.wrapping_sub(self.first) & (modulus - 1);
        match if ahead == 0 { self.shift() } else { None } {
            Some(sent) => Match::InOrder(sent),
            None => self.take_other(ahead, modulus),
        }
    }

    fn take_other(&mut self, ahead: u64, modulus: u64) -> Match {
        if ahead < self.queued() as u64 {
            for _ in 0..ahead {
                let number = self.first;
                let passed_over = self.shift().map(|sent| (number, sent));
                self.rest.get_or_insert_default().skipped.extend(passed_over);
            }
            return self.shift().map_or(Match::Stray, Match::InOrder);
        }
        let behind = modulus - ahead;
        let first = self.first;
        let is_it = |number: u64| (first - number) & (modulus - 1) == behind & (modulus - 1);
        let skipped = self.rest.as_mut().map(|rest| &mut rest.skipped);
        let found = skipped.and_then(|skipped| {
            let at = skipped.iter().position(|(number, _)| is_it(*number))?;
            Some(skipped.remove(at).1)
        });
        match found {
            Some(sent) => Match::OutOfOrder(sent),
            None if behind <= first.min(modulus / 2) => Match::Duplicate,
            None => Match::Stray,
        }
    }

    /// Takes all that is out, the oldest first, and forgets the numbers.
    pub fn drain(&mut self) -> impl Iterator<Item = Sent> {
        let Self { oldest, rest, .. } = std::mem::take(self);
        let Rest { queue, skipped } = rest.map_or_else(Rest::default, |rest| *rest);
        skipped.into_iter().map(|(_, sent)| sent).chain(oldest).chain(queue)
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
