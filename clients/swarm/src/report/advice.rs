//! Advice for failures of the server, or of a proxy in front of it.

use crate::config::Config;

const TLS_VERSIONS: &str =
    "let the server speak TLS 1.2 or 1.3, of which --tls-version chooses one; older ones are not spoken here";

/// Next steps, by words in the reason why no connection opened. The first match counts.
const ON_OPENING: [(&str, &str); 29] = [
    (
        "agreed to, which was not asked for",
        "see why the server agrees to what it was not offered (RFC 6455, section 4.1)",
    ),
    (
        "was agreed to: ",
        "see what the server's compression says wrongly (RFC 7692, section 7.1), or leave out --deflate",
    ),
    (
        "peer certificate: Expired",
        "renew the server's certificate, set this host's clock, or take any certificate (--insecure)",
    ),
    (
        "peer certificate: certificate expired",
        "renew the server's certificate, set this host's clock, or take any certificate (--insecure)",
    ),
    ("not valid for name", "use a name that the certificate has in the URL, or take any certificate (--insecure)"),
    ("CaUsedAsEndEntity", "make a certificate that is no authority (openssl req -x509 … -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:…), or take any (--insecure)"),
    ("invalid peer certificate", "name the authority that signed it (--ca FILE), or take any certificate (--insecure)"),
    ("CertificateRequired", "show a certificate of your own (--cert, --key)"),
    ("fatal alert: UnknownCA", "show a certificate that the server's authority signed (--cert, --key)"),
    (
        "fatal alert: HandshakeFailure",
        "see which ciphers the server takes, and whether it wants a certificate of the client (--cert, --key)",
    ),
    ("TLS: the server ended", "see in the server's log why: it may want a certificate (--cert, --key) or another --tls-version"),
    ("ProtocolVersion", TLS_VERSIONS),
    ("TlsVersion", TLS_VERSIONS),
    ("Tls12", TLS_VERSIONS),
    ("the proxy refused: HTTP 407", "use a proxy that asks for no login: none is sent to it"),
    ("the proxy refused", "see that the proxy lets CONNECT through to this host and port, or leave out --proxy"),
    ("HTTP 401", "log in as the service asks for it (--bearer-file, --cookie, --header)"),
    ("HTTP 403", "log in, or say where you come from, as the service asks for it (--bearer-file, --cookie, --origin)"),
    ("HTTP 404", "name the path at which the service takes WebSocket in the URL"),
    ("agreed to no subprotocol", "offer a --subprotocol that the service has, or none"),
    ("swarm takes no message of more than", "let the service send shorter ones"),
    ("HTTP 429", "come more slowly (--connect-rate, --max-connecting)"),
    ("HTTP 503", "wait until the service takes connections, or come more slowly (--connect-rate, --max-connecting)"),
    ("Location: ", "write the URL that Location names, with ws:// or wss:// (no redirect is followed)"),
    ("the proxy: ", "start the proxy, or name the address and port at which it listens (--proxy)"),
    ("Connection refused", "start the server, or name the address and port at which it listens"),
    (
        "not connected by the end",
        "see that the server answers, over TLS where the URL has wss://, or give it more time (--duration)",
    ),
    (
        "no message came with",
        "see what the service says instead, and that --on-open has what it wants to hear first",
    ),
    (
        "no handshake in time",
        "see that the server answers, over TLS where the URL has wss://, or wait longer (--connect-timeout)",
    ),
];

/// What a server that expects TLS answers to a request without it: an alert, an error in HTTP, or nothing.
const MAYBE_TLS: [&str; 4] = ["not HTTP", "HTTP 400", "without a close frame", "reset by peer"];

/// The next step if no connection opened.
pub fn on_opening(why: &str, config: &Config) -> String {
    if why.starts_with("the server closed the ") {
        return on_ends(why).into(); // in its own words, after the upgrade
    }
    let known = ON_OPENING.iter().find(|(words, _)| why.contains(words));
    let other = || {
        let (url, dialect) = (config.shown_url(), &config.dialect);
        let is_no_tls = why.starts_with("TLS: ") && why.contains("corrupt");
        let may_be_tls = url.starts_with("ws://") && MAYBE_TLS.iter().any(|words| why.contains(words));
        let secured = match (is_no_tls, may_be_tls) {
            (true, _) => " over TLS (or write ws://)",
            (_, true) => " without TLS (or write wss://)",
            _ => "",
        };
        format!("see that a server at {url} speaks {dialect}{secured}, or name another --dialect")
    };
    known.map_or_else(other, |(_, help)| (*help).into())
}

/// The next step if connections opened but did not stay open. With --reconnect the reason may be one why none opened again.
pub fn on_ends(why: &str) -> &'static str {
    let is_of_server = why.starts_with("the server "); // in its own words
    if let Some((_, help)) = ON_OPENING.iter().find(|(words, _)| !is_of_server && why.contains(words)) {
        help
    } else if why.contains("broke the protocol") {
        "the fault is the server's, or that of what stands before it: see its log, or record what it sends"
    } else {
        "see why the server ends connections: it may want a login, another path, or another --dialect"
    }
}

/// The next step if messages went out but none was answered.
pub fn on_silence(config: &Config) -> &'static str {
    match config.messages {
        Some(_) => "see that --answer names where an answer carries the id, and what the service wants to hear first (--on-open)",
        None => "see that the server has this --behaviour in this --dialect, or send messages of its own (--message, --answer)",
    }
}

#[cfg(test)]
mod tests {
    use super::on_ends;

    #[test]
    fn who_could_not_come_back_is_told_what_kept_him_out_and_who_was_thrown_out_to_ask_the_server() {
        assert!(on_ends("Connection refused (os error 111)").starts_with("start the server"));
        assert!(on_ends("not upgraded: HTTP 503 Busy").starts_with("wait until"));
        assert!(on_ends("the server closed the connection (1011 upstream: Connection refused)").starts_with("see why"));
        assert!(on_ends("the server ended the connection without a close frame (1006)").starts_with("see why"));
    }
}
