//! Payloads drawn from the seed, each with room for a sequence number. Their messages are made once.

use super::number::{self, WHOLE_B};
use crate::dialect::{Behaviour, Dialect, Template, Type};
use crate::random::Draws;
use serde::{Deserialize, Serialize};

/// `payload` of clients/CONTRACT.md.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    #[serde(rename = "type")]
    pub kind: Type,
    pub bytes: Size,
}

/// Length of payloads, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Size {
    Fixed(u32),
    Drawn(Distribution),
}

/// Drawn lengths are clamped to 1 to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Distribution {
    Uniform { min: u32, max: u32 },
    Exponential { mean: f64, max: u32 },
    Lognormal { median: f64, sigma: f64, max: u32 },
}

/// Maximum length of a payload.
pub const MAX_B: u32 = 1 << 26;
/// Longest message that is read: a payload, and what dialects put around it.
pub const MESSAGE_MAX_B: usize = MAX_B as usize + 65_536;
/// Payloads of fixed length. They differ between connections; a few are enough, as in the forked client.
const POOL: usize = 16;
/// Payloads of drawn lengths: more, within a limit of memory.
const POOL_DRAWN: usize = 1024;
const POOL_DRAWN_B: usize = 32 << 20;
/// First stream for payloads. Connections use the streams below, as in the forked client.
const FIRST_STREAM: u32 = 0x8000_0000;
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

impl Size {
    pub fn max(self) -> u32 {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::Drawn(
                Distribution::Uniform { max, .. }
                | Distribution::Exponential { max, .. }
                | Distribution::Lognormal { max, .. },
            ) => max,
        }
    }

    fn draw(self, draws: &mut Draws) -> usize {
        let (length, max) = match self {
            Self::Fixed(bytes) => return bytes as usize,
            Self::Drawn(Distribution::Uniform { min, max }) => {
                (f64::from(min) + draws.draw() * f64::from(max - min + 1) - 0.5, max)
            }
            Self::Drawn(Distribution::Exponential { mean, max }) => (-(1.0 - draws.draw()).ln() * mean, max),
            Self::Drawn(Distribution::Lognormal { median, sigma, max }) => {
                (median * (sigma * normal(draws)).exp(), max)
            }
        };
        (length.round() as usize).clamp(1, max as usize)
    }
}

/// A standard normal draw: G. E. P. Box and M. E. Muller, A Note on the Generation of Random Normal Deviates, 1958.
fn normal(draws: &mut Draws) -> f64 {
    let radius = (-2.0 * (1.0 - draws.draw()).ln()).sqrt();
    radius * (std::f64::consts::TAU * draws.draw()).cos()
}

/// A payload, and the messages that carry it.
pub struct Payload {
    pub body: Vec<u8>,
    pub templates: Vec<Template>,
}

/// All payloads of a load.
pub struct Pool {
    pub kind: Type,
    payloads: Vec<Payload>,
    is_drawn: bool,
}

impl Pool {
    /// Makes the payloads and their messages in one dialect.
    pub fn new(spec: Spec, seed: u32, behaviour: Behaviour, dialect: &dyn Dialect) -> Self {
        let mut pool = Self { kind: spec.kind, payloads: Vec::new(), is_drawn: matches!(spec.bytes, Size::Drawn(_)) };
        let counts = match behaviour {
            Behaviour::Idle | Behaviour::Own => 0,
            Behaviour::PingPong | Behaviour::JsonPing => 1, // ignored by the dialect
            _ if pool.is_drawn => POOL_DRAWN,
            _ if spec.bytes.max() as usize * POOL > POOL_DRAWN_B => 1,
            _ => POOL,
        };
        let mut room_b = POOL_DRAWN_B;
        for at in 0..counts {
            let is_ping = matches!(behaviour, Behaviour::PingPong | Behaviour::JsonPing);
            let body =
                if is_ping { Vec::new() } else { random_body(spec, &mut Draws::new(seed, FIRST_STREAM + at as u32)) };
            if at >= POOL && body.len() > room_b {
                break;
            }
            room_b = room_b.saturating_sub(body.len());
            pool.payloads.push(Payload { templates: dialect.write(spec.kind, &body), body });
        }
        pool
    }

    /// Chooses the payload of a message: always the same for a connection, or one of the drawn.
    #[inline]
    pub fn choose(&self, connection: u32, number: u64) -> u32 {
        let count = self.payloads.len();
        if !self.is_drawn {
            return connection & (count as u32 - 1); // a power of two: a division would cost as much as all the rest
        }
        // each connection has its own sequence, the same in each run
        let mixed = (u64::from(connection) << 32 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((mixed >> 32) * count as u64) >> 32) as u32
    }

    #[inline]
    pub fn get(&self, at: u32) -> &Payload {
        &self.payloads[at as usize]
    }

    /// Is this what was sent? The caller has checked the sequence number.
    #[inline]
    pub fn is_echo(&self, at: u32, kind: Type, body: &[u8]) -> bool {
        let sent = &self.get(at).body;
        let letters = number::letters_of(sent.len());
        kind == self.kind && body.len() == sent.len() && are_equal(&body[letters..], &sent[letters..])
    }

    /// Is this a changed or cut copy of what was sent? At most half of the bytes may differ.
    pub fn resembles(&self, at: u32, number: u64, body: &[u8]) -> bool {
        let sent = &self.get(at).body;
        let longest = sent.len().max(body.len());
        let is_like = |equal: usize| 2 * (longest - equal) <= longest + 1;
        if body.is_empty() || !is_like(sent.len().min(body.len())) {
            return false;
        }
        let letters = number::letters_of(sent.len());
        let numbered = number::letters(number as u32);
        let expected = numbered[WHOLE_B - letters..].iter().chain(&sent[letters..]);
        is_like(expected.zip(body).filter(|(sent, came)| sent == came).count())
    }
}

/// Up to this length the call of memcmp costs more than the comparison.
const SHORT_B: usize = 64;

#[inline]
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() > SHORT_B {
        return one == other;
    }
    let (words, rest) = one.as_chunks::<8>();
    let (other_words, other_rest) = other.as_chunks::<8>();
    words.iter().zip(other_words).all(|(one, other)| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other))
        && rest.iter().zip(other_rest).all(|(one, other)| one == other)
}

fn random_body(spec: Spec, draws: &mut Draws) -> Vec<u8> {
    let length = spec.bytes.draw(draws);
    let mut byte = || match spec.kind {
        Type::Text => LETTERS[(draws.draw() * LETTERS.len() as f64) as usize],
        Type::Binary => (draws.draw() * 256.0) as u8,
    };
    (0..length).map(|_| byte()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    fn pool(bytes: Size) -> Pool {
        let dialect = by_name::create("websocket", Behaviour::Echo).unwrap();
        Pool::new(Spec { kind: Type::Text, bytes }, 7, Behaviour::Echo, dialect.as_ref())
    }

    #[test]
    fn payloads_of_one_seed_are_always_the_same_and_have_the_length_asked_for() {
        let (one, other) = (pool(Size::Fixed(20)), pool(Size::Fixed(20)));
        assert_eq!(one.get(3).body, other.get(3).body);
        assert_ne!(one.get(3).body, one.get(4).body);
        assert!(one.payloads.iter().all(|payload| payload.body.len() == 20));
    }

    #[test]
    fn drawn_lengths_follow_their_distribution() {
        let mean_of = |size: Distribution| {
            let mut draws = Draws::new(1, 1);
            (0..20_000).map(|_| Size::Drawn(size).draw(&mut draws) as f64).sum::<f64>() / 20_000.0
        };
        assert!((mean_of(Distribution::Uniform { min: 10, max: 30 }) - 20.0).abs() < 0.3);
        assert!((mean_of(Distribution::Exponential { mean: 100.0, max: 1_000_000 }) - 100.0).abs() < 3.0);
        let median = Distribution::Lognormal { median: 200.0, sigma: 0.5, max: 1_000_000 };
        assert!((mean_of(median) / (200.0 * (0.125f64).exp()) - 1.0).abs() < 0.03);
    }

    #[test]
    fn a_drawn_pool_uses_many_lengths_and_no_more_memory_than_it_may() {
        let pool = pool(Size::Drawn(Distribution::Uniform { min: 1, max: 1 << 20 }));
        assert!(pool.payloads.iter().map(|payload| payload.body.len()).sum::<usize>() < POOL_DRAWN_B + (1 << 24));
        assert!(pool.payloads.len() > POOL);
    }

    #[test]
    fn an_echo_must_have_the_same_type_length_and_bytes() {
        let pool = pool(Size::Fixed(20));
        let mut body = pool.get(0).body.clone();
        assert!(pool.is_echo(0, Type::Text, &body));
        assert!(!pool.is_echo(0, Type::Binary, &body));
        assert!(!pool.is_echo(0, Type::Text, &body[..19]));
        body[10] ^= 1;
        assert!(!pool.is_echo(0, Type::Text, &body));
    }

    #[test]
    fn what_was_changed_or_cut_resembles_what_was_sent_and_other_words_do_not() {
        let pool = pool(Size::Fixed(20));
        let sent = [&number::letters(7)[..], &pool.get(0).body[WHOLE_B..]].concat();
        for at in 0..sent.len() {
            let changed: Vec<_> = (0..sent.len()).map(|place| sent[place] ^ u8::from(place == at)).collect();
            assert!(pool.resembles(0, 7, &changed), "a wrong byte at {at}");
        }
        assert!(pool.resembles(0, 7, &sent[..12]) && pool.resembles(0, 7, &[&sent[..], b"more"].concat()));
        for words in [&b""[..], b"{\"tick\":1}", b"welcome to the server", b"hello, world, hello.", &sent[..5]] {
            assert!(!pool.resembles(0, 7, words), "{}", String::from_utf8_lossy(words));
        }
    }
}
