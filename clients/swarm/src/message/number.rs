//! Sequence numbers inside payloads: one letter from a to p per four bits, highest first. No dialect escapes letters.
//! Eight of them are coded at once, without a table.

/// Letters of a whole 32-bit number.
pub const WHOLE_B: usize = 8;
const LETTER_A: u64 = 0x6161_6161_6161_6161;
const HIGH_HALVES: u64 = 0xf0f0_f0f0_f0f0_f0f0;

/// Number of letters that fit into a payload. A number is then known modulo 16^letters.
#[inline]
pub fn letters_of(payload_b: usize) -> usize {
    payload_b.min(WHOLE_B)
}

/// Encodes a number.
#[inline]
pub fn letters(number: u32) -> [u8; WHOLE_B] {
    let bits = u64::from(number);
    let bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    let bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    (bits + LETTER_A).to_be_bytes()
}

/// Decodes at most eight letters; `None` if they are not a number.
#[inline]
pub fn read(letters: &[u8]) -> Option<u32> {
    let whole = match letters.try_into() {
        Ok(whole) => whole,
        Err(_) => pad(letters)?,
    };
    let bits = u64::from_be_bytes(whole).wrapping_sub(LETTER_A);
    if bits & HIGH_HALVES != 0 {
        return None;
    }
    let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    Some((bits | bits >> 16) as u32)
}

fn pad(letters: &[u8]) -> Option<[u8; WHOLE_B]> {
    let mut whole = [b'a'; WHOLE_B];
    whole.get_mut(WHOLE_B.checked_sub(letters.len())?..)?.copy_from_slice(letters);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_was_written_modulo_its_letters() {
        for number in [0, 1, 15, 16, 4095, 123_456_789, u32::MAX] {
            for count in 1..=WHOLE_B {
                let read_back = read(&letters(number)[WHOLE_B - count..]);
                assert_eq!(read_back, Some((u64::from(number) % (1u64 << (4 * count))) as u32));
            }
        }
    }

    #[test]
    fn what_is_no_letter_from_a_to_p_is_no_number() {
        for place in 0..WHOLE_B {
            for byte in (0..=255u8).filter(|byte| !(b'a'..=b'p').contains(byte)) {
                let mut text = letters(0x0fa5_0123);
                text[place] = byte;
                assert_eq!(read(&text), None, "{byte} at {place}");
            }
        }
    }
}
