//! The server's side of the opening handshake: RFC 6455, section 4.2.

use base64::{engine::general_purpose::STANDARD, Engine};
use httparse::{Request, Status};
use sha1::{Digest, Sha1};

/// RFC 6455, section 1.3.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const HEAD_B_MAX: usize = 8 << 10;
const HEADERS_MAX: usize = 64;
/// Without context takeover: RFC 7692, section 7.1.1.
const WITHOUT_WINDOWS: &str =
    "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n";

/// The outcome of an upgrade request.
#[derive(Debug, PartialEq)]
pub enum Upgrade {
    /// The request is incomplete.
    Begun,
    /// Accepted: the answer, and the length of the request. Frames follow the request.
    /// `deflates`: permessage-deflate is agreed on without context takeover, so that messages can go back unchanged.
    Accepted { answer: String, request_b: usize, deflates: bool },
    /// Refused: the answer. The connection then ends.
    Refused { answer: String },
}

/// Answer the request at the beginning of `bytes`.
pub fn answer_request(bytes: &[u8]) -> Upgrade {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(Status::Partial) if bytes.len() > HEAD_B_MAX => refuse("431 Request Header Fields Too Large"),
        Ok(Status::Partial) => Upgrade::Begun,
        Ok(Status::Complete(request_b)) => match check(&request) {
            Ok(key) => {
                let offered = find(&request, "sec-websocket-extensions").unwrap_or_default();
                let deflates = offered.contains("permessage-deflate");
                Upgrade::Accepted { answer: accept(key, deflates), request_b, deflates }
            }
            Err(status) => refuse(status),
        },
        Err(_) => refuse("400 Bad Request"),
    }
}

/// Returns the key of a valid request, or the status to refuse it with.
fn check<'r>(request: &Request<'_, 'r>) -> Result<&'r str, &'static str> {
    if request.method != Some("GET") || request.version != Some(1) {
        return Err("400 Bad Request");
    }
    if !has_token(request, "upgrade", "websocket") || !has_token(request, "connection", "upgrade") {
        return Err("426 Upgrade Required\r\nUpgrade: websocket");
    }
    if find(request, "sec-websocket-version") != Some("13") {
        return Err("426 Upgrade Required\r\nSec-WebSocket-Version: 13");
    }
    let key = find(request, "sec-websocket-key").unwrap_or_default();
    match STANDARD.decode(key) {
        Ok(nonce) if nonce.len() == 16 => Ok(key),
        _ => Err("400 Bad Request"),
    }
}

fn find<'r>(request: &Request<'_, 'r>, name: &str) -> Option<&'r str> {
    let header = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(header.value).ok()
}

fn has_token(request: &Request, name: &str, token: &str) -> bool {
    let list = find(request, name).unwrap_or_default();
    list.split(',').any(|word| word.trim().eq_ignore_ascii_case(token))
}

fn accept(key: &str, deflates: bool) -> String {
    let digest = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    let accept = STANDARD.encode(digest);
    let extension = if deflates { WITHOUT_WINDOWS } else { "" };
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         {extension}Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

fn refuse(status: &str) -> Upgrade {
    Upgrade::Refused { answer: format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6455, section 1.2, with its key and accept of section 1.3.
    const REQUEST: &str = "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\n\
        Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\n\r\n";
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    #[test]
    fn the_example_of_the_rfc_is_accepted_as_it_says() {
        let bytes = [REQUEST.as_bytes(), b"frames"].concat();
        let Upgrade::Accepted { answer, request_b, .. } = answer_request(&bytes) else { panic!("not accepted") };
        assert!(answer.starts_with("HTTP/1.1 101 "));
        assert!(answer.ends_with(&format!("Sec-WebSocket-Accept: {ACCEPT}\r\n\r\n")));
        assert_eq!(request_b, REQUEST.len());
    }

    #[test]
    fn a_request_cut_anywhere_is_waited_for() {
        for cut in 0..REQUEST.len() {
            assert_eq!(answer_request(&REQUEST.as_bytes()[..cut]), Upgrade::Begun, "cut after {cut}");
        }
    }

    #[test]
    fn what_is_no_upgrade_is_refused() {
        let cases = [
            ("GET /chat", "POST /chat", "400"),
            ("HTTP/1.1", "HTTP/1.0", "400"),
            ("Upgrade: websocket", "Upgrade: h2c", "426"),
            ("Version: 13", "Version: 8", "426"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", "400"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "!", "400"),
            ("GET /chat", "\0", "400"),
        ];
        for (from, to, status) in cases {
            let request = REQUEST.replace(from, to);
            let Upgrade::Refused { answer } = answer_request(request.as_bytes()) else { panic!("{to}: accepted") };
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{to}: {answer}");
        }
    }

    #[test]
    fn a_head_without_end_is_refused() {
        let request = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(HEAD_B_MAX));
        assert!(matches!(answer_request(request.as_bytes()), Upgrade::Refused { .. }));
    }
}
