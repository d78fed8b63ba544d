//! Tunnels through a proxy: CONNECT (RFC 9110, section 9.3.6).

use super::end::End;
use super::shared::Shared;
use super::{Connection, State};
use crate::websocket::handshake;

impl Connection {
    /// TCP is connected to the proxy: sends CONNECT.
    pub(super) fn ask_proxy(&mut self, shared: &mut Shared) {
        self.state = State::Proxying;
        let to = &shared.load.url.with_port;
        shared.out.extend_from_slice(format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n").as_bytes());
        self.flush(shared);
    }

    /// Reads the proxy's answer. Returns its length. Nothing follows it, because the server has not been asked yet.
    pub(super) fn read_proxy(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        let told = |what: String| End::NotProxied(what);
        let Some((code, reason, head_b)) = handshake::read_status(bytes).map_err(told)? else { return Ok(0) };
        if !(200..300).contains(&code) {
            return Err(told(format!("HTTP {code} {reason}").trim_end().to_string()));
        }
        self.tcp_ns = shared.now_ns;
        self.go_on(shared);
        Ok(head_b)
    }
}
