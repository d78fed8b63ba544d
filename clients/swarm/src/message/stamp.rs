//! What is written into a payload when it is sent: its number, and for some behaviours its times.

use super::number::{self, WHOLE_B};

/// Overwrites the first bytes of `place`, which is already masked.
#[inline]
pub fn write(place: &mut [u8], bytes: &[u8], mask: u32) {
    if let (Some(first), Ok(whole)) = (place.first_chunk_mut::<WHOLE_B>(), <[u8; WHOLE_B]>::try_from(bytes)) {
        let wide = u64::from(mask) | u64::from(mask) << 32;
        *first = (u64::from_ne_bytes(whole) ^ wide).to_ne_bytes();
        return;
    }
    for (at, byte) in bytes.iter().enumerate() {
        place[at] = byte ^ mask.to_ne_bytes()[at % 4];
    }
}

/// Ten decimal digits, the length of a Unix time.
pub fn decimals(mut number: u64) -> [u8; 10] {
    let mut digits = [b'0'; 10];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// Length of a number and two times.
pub const TIMES_B: usize = 5 * WHOLE_B;

/// The number and times that a broadcast carries to its receivers.
pub fn times(number: u64, intended_ns: u64, actual_ns: u64) -> [u8; TIMES_B] {
    let halves = [number, intended_ns >> 32, intended_ns, actual_ns >> 32, actual_ns];
    let mut bytes = [0; TIMES_B];
    for (place, half) in bytes.chunks_exact_mut(WHOLE_B).zip(halves) {
        place.copy_from_slice(&number::letters(half as u32));
    }
    bytes
}

/// Reads number, intended time and actual time of a broadcast; `None` if it has none.
pub fn read_times(body: &[u8]) -> Option<(u64, u64, u64)> {
    let half = |at: usize| Some(u64::from(number::read(body.get(at * WHOLE_B..(at + 1) * WHOLE_B)?)?));
    Some((half(0)?, half(1)? << 32 | half(2)?, half(3)? << 32 | half(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_tells_its_number_and_its_times() {
        assert_eq!(read_times(&times(7, 123_456_789_012, u64::MAX >> 1)), Some((7, 123_456_789_012, u64::MAX >> 1)));
        assert_eq!(read_times(b"short"), None);
    }

    #[test]
    fn a_timestamp_is_written_in_ten_digits() {
        assert_eq!(&decimals(1_478_246_460), b"1478246460");
    }

    #[test]
    fn a_stamp_is_masked_like_what_it_is_written_over() {
        for length in [3, WHOLE_B, 10] {
            let mut place = vec![0; 12];
            write(&mut place, &vec![b'x'; length], 0x1234_5678);
            let keys = 0x1234_5678u32.to_ne_bytes();
            assert!((0..length).all(|at| place[at] == b'x' ^ keys[at % 4]), "{length}");
            assert!(place[length..].iter().all(|byte| *byte == 0));
        }
    }
}
