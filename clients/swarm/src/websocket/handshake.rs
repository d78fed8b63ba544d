//! The client's side of the opening handshake: RFC 6455, section 4.1.

use super::deflate::{Agreed, Offer};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use sha1::{Digest, Sha1};
use std::fmt;

/// Maximum length of a response's head, including interim responses before it.
const HEAD_MAX_B: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;
/// Section 1.3.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The value of Sec-WebSocket-Key: 16 random bytes.
pub fn key(nonce: [u8; 16]) -> String {
    STANDARD.encode(nonce)
}

/// The value of Sec-WebSocket-Accept for a key.
pub fn accept(key: &str) -> String {
    STANDARD.encode(Sha1::new().chain_update(key.as_bytes()).chain_update(GUID).finalize())
}

/// The request. `host`: value of Host; `target`: path and query; `more`: additional headers, each with its CRLF.
pub fn request(host: &str, target: &str, key: &str, more: &str) -> String {
    format!(
        "GET {target} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
    )
}

/// What the request offered to the server.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub deflate: Option<Offer>,
    pub subprotocols: Vec<String>,
}

/// What both sides agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// length of the response; frames follow
    pub head_b: usize,
    pub deflate: Option<Agreed>,
    pub subprotocol: Option<String>,
}

/// Why the response is not an agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A status other than 101, with the headers Location and Retry-After
    Status { code: u16, reason: String, location: Option<String>, retry_after: Option<String> },
    /// An invalid response; the reason, for people
    Broken(String),
}

impl From<String> for Refusal {
    fn from(told: String) -> Self {
        Self::Broken(told)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Status { code, reason, .. } => {
                write!(out, "{}", format!("HTTP {code} {reason}").trim_end())
            }
            Self::Broken(told) => write!(out, "{told}"),
        }
    }
}

/// Reads the response; `None` if more bytes are needed.
pub fn read(bytes: &[u8], key: &str, asked: &Asked) -> Result<Option<Agreement>, Refusal> {
    // cut at the limit, so that the result does not depend on how the bytes were split into segments
    let within = &bytes[..bytes.len().min(HEAD_MAX_B)];
    let mut from_b = 0;
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        match response.parse(&within[from_b..]) {
            Ok(httparse::Status::Complete(head_b)) => from_b += head_b,
            Ok(httparse::Status::Partial) if bytes.len() < HEAD_MAX_B => return Ok(None),
            Ok(httparse::Status::Partial) => {
                return Err(format!("the response's head is longer than {HEAD_MAX_B} bytes").into())
            }
            Err(httparse::Error::TooManyHeaders) => {
                return Err(format!("the response has more than {HEADERS_MAX} headers").into())
            }
            Err(error) => return Err(format!("the response is not HTTP: {error}").into()),
        }
        // RFC 9110, section 15.2: interim responses are skipped; 101 is the final one here
        if !matches!(response.code, Some(100 | 102..=199)) {
            return check(&response, key, asked, from_b).map(Some);
        }
    }
}

/// Reads the head of another response, such as a proxy's; `None` if more bytes are needed.
/// Returns status, reason and length.
pub fn read_status(bytes: &[u8]) -> Result<Option<(u16, String, usize)>, String> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(&bytes[..bytes.len().min(HEAD_MAX_B)]) {
        Ok(httparse::Status::Complete(head_b)) => {
            Ok(Some((response.code.unwrap_or(0), response.reason.unwrap_or("").into(), head_b)))
        }
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_MAX_B => Ok(None),
        Ok(httparse::Status::Partial) => Err(format!("the response's head is longer than {HEAD_MAX_B} bytes")),
        Err(error) => Err(format!("the response is not HTTP: {error}")),
    }
}

fn check(response: &httparse::Response, key: &str, asked: &Asked, head_b: usize) -> Result<Agreement, Refusal> {
    let values = |name: &str| {
        let named = response.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| String::from_utf8_lossy(header.value).trim().to_string()).collect::<Vec<_>>()
    };
    let code = response.code.unwrap_or(0);
    if code != 101 {
        let (location, retry_after) = (values("location").pop(), values("retry-after").pop());
        return Err(Refusal::Status { code, reason: response.reason.unwrap_or("").into(), location, retry_after });
    }
    if !values("upgrade").iter().any(|value| value.eq_ignore_ascii_case("websocket")) {
        return Err("the response does not upgrade to websocket".to_string().into());
    }
    let tokens = values("connection").join(",");
    if !tokens.split(',').any(|token| token.trim().eq_ignore_ascii_case("upgrade")) {
        return Err("the response has no \"Connection: Upgrade\"".to_string().into());
    }
    match values("sec-websocket-accept").as_slice() {
        [value] if *value == accept(key) => {}
        [_] => return Err("the accept key is not the one that answers ours".to_string().into()),
        values => return Err(format!("{} accept keys in the response", values.len()).into()),
    }
    let deflate = read_extensions(&values("sec-websocket-extensions"), asked.deflate.as_ref())?;
    let subprotocol = match values("sec-websocket-protocol").as_slice() {
        [] if asked.subprotocols.is_empty() => None,
        [] => return Err("the server agreed to no subprotocol (--subprotocol)".to_string().into()),
        [one] if asked.subprotocols.contains(one) => Some(one.clone()),
        other => return Err(not_asked(&other.join(", ")).into()),
    };
    Ok(Agreement { head_b, deflate, subprotocol })
}

fn read_extensions(values: &[String], offer: Option<&Offer>) -> Result<Option<Agreed>, String> {
    match (values, offer) {
        ([], _) => Ok(None),
        ([one], Some(offer)) => offer.read(one).map(Some),
        (other, _) => Err(not_asked(&other.join(", "))),
    }
}

fn not_asked(value: &str) -> String {
    format!("{value:?} was agreed to, which was not asked for")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Length of the response to a request that offered nothing.
    fn read(bytes: &[u8], key: &str) -> Result<Option<usize>, String> {
        let read = super::read(bytes, key, &Asked::default());
        read.map(|agreed| agreed.map(|agreed| agreed.head_b)).map_err(|refusal| refusal.to_string())
    }

    /// The example of section 1.3.
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    const RESPONSE: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

    #[test]
    fn the_accept_key_is_that_of_the_rfc() {
        assert_eq!(accept(KEY), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_right_response_is_agreed_to_and_frames_may_follow_at_once() {
        assert_eq!(read(format!("{RESPONSE}\u{1}").as_bytes(), KEY), Ok(Some(RESPONSE.len())));
    }

    #[test]
    fn names_and_tokens_may_be_written_in_any_case() {
        let response = RESPONSE
            .replace("Connection: Upgrade", "CONNECTION: keep-alive, upgrade")
            .replace("Upgrade: w", "upgrade: W");
        assert!(read(response.as_bytes(), KEY).unwrap().is_some());
    }

    #[test]
    fn a_response_that_comes_byte_by_byte_is_waited_for() {
        for end in 0..RESPONSE.len() {
            assert_eq!(read(&RESPONSE.as_bytes()[..end], KEY), Ok(None), "{end}");
        }
    }

    #[test]
    fn what_is_no_agreement_is_told() {
        let told = |from: &str, to: &str| read(RESPONSE.replacen(from, to, 1).as_bytes(), KEY).unwrap_err();
        assert_eq!(told("101 Switching Protocols", "403 Forbidden"), "HTTP 403 Forbidden");
        assert!(told("s3pPL", "xxxxx").contains("accept key"));
        assert!(told("Sec-WebSocket-Accept", "X").contains("0 accept keys"));
        assert!(told("Upgrade: websocket", "X: y").contains("upgrade"));
        assert!(told("Connection: Upgrade", "X: y").contains("Connection"));
        assert!(told("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n").contains("deflate"));
        assert!(told("HTTP/1.1", "SSH-2.0").contains("not HTTP"));
    }

    #[test]
    fn interim_responses_before_the_101_are_skipped() {
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        let all = format!("{interim}{RESPONSE}");
        assert_eq!(read(all.as_bytes(), KEY), Ok(Some(all.len())));
        for end in 0..all.len() {
            assert_eq!(read(&all.as_bytes()[..end], KEY), Ok(None), "{end}");
        }
        let refused = read(format!("{interim}HTTP/1.1 503 Busy\r\n\r\n").as_bytes(), KEY);
        assert_eq!(refused.unwrap_err(), "HTTP 503 Busy");
        let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000);
        assert!(read(endless.as_bytes(), KEY).unwrap_err().contains("longer than 16384 bytes"));
    }

    #[test]
    fn the_limit_of_a_head_is_the_same_in_one_segment_and_in_pieces() {
        let of_length = |head_b: usize| {
            let filler = "a".repeat(head_b - RESPONSE.len() - "X: \r\n".len());
            RESPONSE.replacen("\r\n\r\n", &format!("\r\nX: {filler}\r\n\r\n"), 1)
        };
        let in_pieces = |response: &str| {
            let ends = (1000..response.len()).step_by(1000).chain([response.len()]);
            ends.map(|end| read(&response.as_bytes()[..end], KEY)).find(|read| *read != Ok(None)).unwrap()
        };
        for (head_b, is_right) in [(HEAD_MAX_B, true), (HEAD_MAX_B + 1, false), (40_000, false)] {
            let response = of_length(head_b);
            let whole = read(response.as_bytes(), KEY);
            assert_eq!((response.len(), whole.is_ok()), (head_b, is_right), "{whole:?}");
            assert_eq!(in_pieces(&response), whole);
        }
        let many = RESPONSE.replacen("\r\n\r\n", &format!("\r\n{}\r\n", "a: b\r\n".repeat(65)), 1);
        assert!(read(many.as_bytes(), KEY).unwrap_err().contains("more than 64 headers"));
    }

    #[test]
    fn a_response_without_end_is_refused() {
        let endless = format!("HTTP/1.1 101 x\r\nA: {}", "b".repeat(HEAD_MAX_B));
        assert!(read(endless.as_bytes(), KEY).is_err());
    }

    #[test]
    fn what_was_asked_for_may_be_agreed_to_and_nothing_else() {
        let asked = Asked { deflate: Some(Offer::default()), subprotocols: vec!["chat".into(), "v2".into()] };
        let with = |headers: &str| {
            let response = RESPONSE.replacen("\r\n\r\n", &format!("\r\n{headers}\r\n\r\n"), 1);
            super::read(response.as_bytes(), KEY, &asked).map(Option::unwrap).map_err(|refusal| refusal.to_string())
        };
        let both = "Sec-WebSocket-Protocol: v2\r\nSec-WebSocket-Extensions: permessage-deflate";
        let agreed = with(both).unwrap();
        assert_eq!((agreed.subprotocol.as_deref(), agreed.deflate.is_some()), (Some("v2"), true));
        assert!(with("Sec-WebSocket-Protocol: v3").unwrap_err().contains("\"v3\" was agreed to"));
        assert!(with("Sec-WebSocket-Extensions: x-other").unwrap_err().contains("not asked for"));
    }

    #[test]
    fn a_refusal_has_its_headers_apart_so_that_refusals_of_one_status_are_one_reason() {
        let response = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nLocation: wss://b/\r\n\r\n";
        let refused = super::read(response.as_bytes(), KEY, &Asked::default()).unwrap_err();
        assert_eq!(refused.to_string(), "HTTP 503 Busy");
        let Refusal::Status { location, retry_after, .. } = refused else { panic!("{refused}") };
        assert_eq!((location.as_deref(), retry_after.as_deref()), (Some("wss://b/"), Some("7")));
    }
}
