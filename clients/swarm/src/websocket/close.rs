//! Close codes and close frames: RFC 6455, section 7.4.

pub const NORMAL: u16 = 1000;
pub const PROTOCOL_ERROR: u16 = 1002;
/// The close frame had no code. Never on the wire.
pub const NO_CODE: u16 = 1005;
/// The connection ended without a close frame. Never on the wire.
pub const ABNORMAL: u16 = 1006;
pub const NOT_UTF8: u16 = 1007;
pub const TOO_BIG: u16 = 1009;

/// Why the server's bytes are refused: the code to close with, and the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub code: u16,
    pub reason: String,
}

impl Violation {
    pub fn new(code: u16, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }
}

/// May an endpoint send this code? (Section 7.4.2 and the IANA registry.)
pub fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

/// Reads the body of a close frame.
/// Returns the code, `NO_CODE` if there is none, and the reason.
pub fn read(body: &[u8]) -> Result<(u16, &str), Violation> {
    let refuse = |reason: String| Err(Violation::new(PROTOCOL_ERROR, reason));
    match body {
        [] => Ok((NO_CODE, "")),
        [_] => refuse("a close frame of one byte".into()),
        [high, low, reason @ ..] => {
            let code = u16::from_be_bytes([*high, *low]);
            if !may_be_sent(code) {
                return refuse(format!("close code {code}, which may not be sent"));
            }
            match std::str::from_utf8(reason) {
                Ok(reason) => Ok((code, reason)),
                Err(_) => Err(Violation::new(NOT_UTF8, "the reason of a close frame is not UTF-8")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_frame_may_be_empty_or_carry_a_code_and_a_reason() {
        assert_eq!(read(b""), Ok((NO_CODE, "")));
        assert_eq!(read(b"\x03\xe9going"), Ok((1001, "going")));
    }

    #[test]
    fn codes_that_may_not_be_sent_are_refused() {
        for code in [0u16, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535] {
            assert_eq!(read(&code.to_be_bytes()).unwrap_err().code, PROTOCOL_ERROR, "{code}");
        }
    }

    #[test]
    fn half_a_code_and_a_reason_that_is_not_utf8_are_refused() {
        assert_eq!(read(b"\x03").unwrap_err().code, PROTOCOL_ERROR);
        assert_eq!(read(b"\x03\xe8\xff").unwrap_err().code, NOT_UTF8);
    }
}
