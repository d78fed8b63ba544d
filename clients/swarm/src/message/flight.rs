//! The outstanding messages of one connection, and their match with answers.

use std::collections::VecDeque;

/// A sent message. Times are ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub intended_ns: u64,
    /// when the socket took all of it; until then, when it was first offered
    pub actual_ns: u64,
    /// index of its payload in the pool
    pub payload: u32,
}

/// The place of an outstanding message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the queue, behind this many others
    Ahead(usize),
    /// Among the skipped: a later message was answered first
    Skipped(usize),
}

/// What is known of a sequence number.
#[derive(Debug, PartialEq, Eq)]
pub enum Known {
    Out(Place),
    /// Already answered; the full number
    Answered(u64),
    Never,
}

/// Messages are numbered from 0 in the order of sending. The oldest is stored inline, as most connections have only one
/// outstanding: with thousands of connections, each access to other memory is a cache miss.
#[derive(Debug, Default)]
pub struct Flight {
    /// number of the oldest message in the queue
    first: u64,
    oldest: Option<Sent>,
    rest: Option<Box<Rest>>,
}

#[derive(Debug, Default)]
struct Rest {
    /// the queue after the oldest
    queue: VecDeque<Sent>,
    /// messages with a later one already answered
    skipped: Vec<(u64, Sent)>,
}

impl Flight {
    /// Number of outstanding messages.
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

    /// The number of the next message to send.
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

    /// Uses up a number for a message without an answer.
    pub fn skip_number(&mut self) {
        self.first += 1;
    }

    /// The next message in order.
    pub fn oldest(&self) -> Option<&Sent> {
        self.oldest.as_ref()
    }

    /// The next message in order, if it has this number modulo `modulus`, a power of two.
    #[inline]
    pub fn next(&self, number: u64, modulus: u64) -> Option<&Sent> {
        self.oldest.as_ref().filter(|_| number.wrapping_sub(self.first) & (modulus - 1) == 0)
    }

    /// Has the socket taken this message? The last `unwritten` messages are still to be written.
    pub fn is_written(&self, place: Place, unwritten: usize) -> bool {
        match place {
            Place::Ahead(at) => at + unwritten < self.queued(),
            Place::Skipped(_) => true,
        }
    }

    /// All outstanding messages, those that were passed over last: most of them are lost.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let skipped = self.rest.as_ref().map_or(0, |rest| rest.skipped.len());
        (0..self.queued()).map(Place::Ahead).chain((0..skipped).map(Place::Skipped))
    }

    /// The message at a place, and its number.
    pub fn get(&self, place: Place) -> Option<(u64, Sent)> {
        match (place, &self.rest) {
            (Place::Ahead(0), _) => self.oldest.map(|sent| (self.first, sent)),
            (Place::Ahead(at), Some(rest)) => rest.queue.get(at - 1).map(|sent| (self.first + at as u64, *sent)),
            (Place::Skipped(at), Some(rest)) => rest.skipped.get(at).copied(),
            _ => None,
        }
    }

    /// Looks up a number, known modulo `modulus`, a power of two.
    pub fn find(&self, number: u64, modulus: u64) -> Known {
        let ahead = number.wrapping_sub(self.first) & (modulus - 1);
        if ahead < self.queued() as u64 {
            return Known::Out(Place::Ahead(ahead as usize));
        }
        let behind = modulus - ahead;
        let is_it = |number: u64| (self.first - number) & (modulus - 1) == behind & (modulus - 1);
        let skipped = self.rest.iter().flat_map(|rest| &rest.skipped);
        match skipped.into_iter().position(|(number, _)| is_it(*number)) {
            Some(at) => Known::Out(Place::Skipped(at)),
            None if behind <= self.first.min(modulus / 2) => Known::Answered(self.first - behind),
            None => Known::Never,
        }
    }

    /// Sets when the socket took a message, unless it has already been answered.
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

    /// Removes the next message in order.
    #[inline]
    pub fn take_next(&mut self) -> Option<Sent> {
        let sent = self.oldest.take()?;
        self.first += 1;
        if let Some(rest) = &mut self.rest {
            self.oldest = rest.queue.pop_front();
        }
        Some(sent)
    }

    /// Removes a message. Queued messages before it become skipped.
    pub fn take(&mut self, place: Place) -> Option<Sent> {
        match place {
            Place::Skipped(at) => self.rest.as_mut().map(|rest| rest.skipped.remove(at).1),
            Place::Ahead(at) => {
                for _ in 0..at {
                    let number = self.first;
                    let passed_over = self.take_next().map(|sent| (number, sent));
                    self.rest.get_or_insert_default().skipped.extend(passed_over);
                }
                self.take_next()
            }
        }
    }

    /// Removes all messages, oldest first, and restarts the numbers.
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

    fn take(flight: &mut Flight, number: u64) -> Option<Sent> {
        match flight.find(number, MODULUS) {
            Known::Out(place) => flight.take(place),
            _ => None,
        }
    }

    #[test]
    fn answers_in_order_match_message_by_message_past_the_modulus() {
        let mut flight = flight(1000);
        for at in 0..1000 {
            assert_eq!(flight.next(at % MODULUS, MODULUS), Some(&sent(at)));
            assert_eq!(flight.find(at % MODULUS, MODULUS), Known::Out(Place::Ahead(0)));
            assert_eq!(flight.take_next(), Some(sent(at)));
        }
        assert!(flight.is_empty());
    }

    #[test]
    fn an_answer_left_out_stays_out_and_shifts_nothing() {
        let mut flight = flight(4);
        assert_eq!([0, 2, 3].map(|number| take(&mut flight, number)), [0, 2, 3].map(|at| Some(sent(at))));
        assert_eq!(flight.drain().collect::<Vec<_>>(), [sent(1)]);
    }

    #[test]
    fn an_answer_after_its_successors_is_known_as_such() {
        let mut flight = flight(2);
        assert_eq!(take(&mut flight, 1), Some(sent(1)));
        assert_eq!(flight.find(0, MODULUS), Known::Out(Place::Skipped(0)));
        assert_eq!(flight.get(Place::Skipped(0)), Some((0, sent(0))));
        assert_eq!(take(&mut flight, 0), Some(sent(0)));
        assert!(flight.is_empty());
    }

    #[test]
    fn a_number_that_was_answered_is_known_and_one_that_was_never_sent_as_well() {
        let mut flight = flight(2);
        flight.take_next();
        assert_eq!(flight.find(0, MODULUS), Known::Answered(0));
        flight.take_next();
        assert_eq!(flight.find(1, MODULUS), Known::Answered(1));
        assert_eq!([2, 63].map(|number| flight.find(number, MODULUS)), [Known::Never, Known::Never]);
        assert_eq!(Flight::default().find(0, MODULUS), Known::Never);
    }

    #[test]
    fn what_the_socket_has_not_taken_is_told_apart() {
        let mut flight = flight(3);
        take(&mut flight, 1);
        let written: Vec<_> = flight.places().map(|place| flight.is_written(place, 1)).collect();
        assert_eq!(written, [false, true], "the last, and the one passed over");
    }

    #[test]
    fn the_time_of_sending_can_be_told_later() {
        let mut flight = flight(3);
        flight.take_next();
        flight.set_actual(2, 99);
        flight.set_actual(0, 99);
        assert_eq!(flight.drain().map(|sent| sent.actual_ns).collect::<Vec<_>>(), [1, 99]);
    }
}
