//! Tunnels through a proxy: CONNECT (RFC 9110, section 9.3.6).

use super::end::{is_local, End};
use super::shared::Shared;
use super::{Connection, State};
use crate::websocket::{close, handshake};

impl Connection {
    /// TCP is connected to the proxy: sends CONNECT.
    pub(super) fn ask_proxy(&mut self, shared: &mut Shared) {
        self.state = State::Proxying;
        let to = &shared.load.url.with_port;
        shared.out.extend_from_slice(format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n").as_bytes());
        self.flush(shared);
    }

    /// What ends a connection before there is a tunnel comes from the proxy.
    pub(super) fn blame_proxy(&self, end: End) -> End {
        match end {
            _ if self.state != State::Proxying => end,
            End::Peer(close::ABNORMAL, _) => End::NotProxied("it closed the connection without an answer".into()),
            End::TimedOut => End::NotProxiedInTime,
            End::Error(error) if !is_local(&error) => End::NotProxied(error.to_string()),
            other => other,
        }
    }

    /// Reads the proxy's answer. Returns its length. The server has not been asked yet, so that only one without TLS and WebSocket may
    /// have said more: else it is the proxy's, and must not be taken for the server's.
    pub(super) fn read_proxy(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        let told = |what: String| End::NotProxied(what);
        let Some((code, reason, head_b)) = handshake::read_status(bytes).map_err(told)? else { return Ok(0) };
        if !(200..300).contains(&code) {
            return Err(told(format!("HTTP {code} {reason}").trim_end().to_string()));
        }
        let more_b = bytes.len() - head_b;
        if more_b > 0 && (shared.is_tls || shared.is_framed) {
            return Err(told(format!("{more_b} bytes follow its answer")));
        }
        self.tcp_ns = shared.now_ns;
        self.go_on(shared);
        Ok(head_b)
    }
}
