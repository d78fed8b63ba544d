//! Values in a URL.

use percent_encoding::{utf8_percent_encode, AsciiSet, NON_ALPHANUMERIC};

/// What must not stand in one part of a URL as it is (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes all that could end the part of a URL that it stands in.
pub fn encode(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn a_value_stays_one_part_of_a_url() {
        assert_eq!(encode("a b&c=d/e+\u{e9}~"), "a%20b%26c%3Dd%2Fe%2B%C3%A9~");
    }
}
