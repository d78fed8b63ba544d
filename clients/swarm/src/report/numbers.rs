//! Numbers in the text for people.

/// us as ms, with three significant digits.
pub fn ms(us: f64) -> String {
    match us / 1000.0 {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// A number with commas.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_with_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn times_are_told_in_three_digits() {
        assert_eq!([64.0, 1234.0, 12345.0, 1234567.0].map(ms), ["0.064", "1.23", "12.3", "1235"]);
    }
}
