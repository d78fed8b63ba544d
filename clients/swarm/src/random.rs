//! mulberry32 by Tommy Ettinger (public domain), identical to `clients/common/random.cjs`: for one seed, connection k
//! has the same intervals and phases in both clients.

/// A stream of random numbers.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    state: u32,
}

/// Mixes the bits of an integer (finalizer of MurmurHash3), so that adjacent streams start far apart.
fn spread(value: u32) -> u32 {
    let value = (value ^ (value >> 16)).wrapping_mul(0x85eb_ca6b);
    let value = (value ^ (value >> 13)).wrapping_mul(0xc2b2_ae35);
    value ^ (value >> 16)
}

impl Draws {
    /// Each `stream` of a seed is independent.
    pub fn new(seed: u32, stream: u32) -> Self {
        Self { state: spread(spread(seed) ^ stream.wrapping_add(0x9e37_79b9)) }
    }

    /// Uniform in [0, 1), one of 2^32 values.
    pub fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x6d2b_79f5);
        let state = self.state;
        let mixed = (state ^ (state >> 15)).wrapping_mul(1 | state);
        let mixed = mixed.wrapping_add((mixed ^ (mixed >> 7)).wrapping_mul(61 | mixed)) ^ mixed;
        f64::from(mixed ^ (mixed >> 14)) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_draws_what_the_forked_client_draws() {
        // node -e "const r = require('./clients/common/random.cjs').createGenerator(20141121, 7); console.log(r(), r(), r())"
        let mut draws = Draws::new(20141121, 7);
        let drawn = [draws.draw(), draws.draw(), draws.draw()];
        assert_eq!(drawn, [0.073_048_531_077_802_18, 0.673_870_849_888_771_8, 0.439_701_518_742_367_6]);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(Draws::new(1, 0).draw(), Draws::new(1, 1).draw());
    }
}
