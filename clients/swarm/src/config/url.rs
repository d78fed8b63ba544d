//! Where to connect.

use super::address::Address;
use crate::secrets::{mask_query, MASK};
use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// A parsed URL and the addresses of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// TCP without WebSocket
    pub is_tcp: bool,
    /// over TLS
    pub is_tls: bool,
    /// at least one, in the order to try
    pub addresses: Vec<Address>,
    /// as in the URL, for the name in a certificate
    pub host: String,
    /// for the Host header
    pub authority: String,
    /// the same, always with a port, for a proxy
    pub with_port: String,
    /// path and query, percent-encoded; `None`: the dialect's default
    pub target: Option<String>,
}

const EXAMPLE: &str =
    "use ws://host:port/path, wss://host:port/path, unix:/path/to/socket, tcp://host:port or tls://host:port";

impl Url {
    /// Parses a `ws`, `wss`, `tcp`, `tls` or `unix` URL and resolves its host.
    pub fn parse(url: &str) -> Result<Self, String> {
        Self::parse_via(url, None)
    }

    /// Is this meant as a URL, and not as a file's path?
    pub fn is_one(text: &str) -> bool {
        text.contains("://") || text.starts_with(UNIX)
    }

    /// The same, but with the addresses of a proxy, `http://host:port`. The proxy resolves the server's name.
    pub fn parse_via(url: &str, proxy: Option<&str>) -> Result<Self, String> {
        if let Some(place) = url.strip_prefix(UNIX) {
            return parse_unix(place, proxy);
        }
        let shown = hide_secrets(url);
        let wrong = |what: String| format!("url is {shown:?}{what}");
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(wrong(format!("; {EXAMPLE}")));
        };
        let shown_rest = shown.split_once("://").map_or("", |(_, rest)| rest);
        let (is_tcp, is_tls) = read_scheme(scheme, shown_rest).map_err(wrong)?;
        // parse as ws or wss, so that all schemes share the rules for hosts and ports
        let known = if is_tls { "wss" } else { "ws" };
        let aside = Aside::of(rest);
        if aside.is_in(aside.text.split(['/', '?', '#']).next().unwrap_or_default()) {
            return Err(wrong(format!(", and {MISPLACED}")));
        }
        let parsed = check_text(rest).and_then(|()| {
            url::Url::parse(&format!("{known}://{}", aside.text)).map_err(|error| format!(": {error}; {EXAMPLE}"))
        });
        let parsed = parsed.and_then(check_parts).map_err(wrong)?;
        let host = parsed.host_str().unwrap_or_default();
        let port = parsed.port_or_known_default().unwrap_or(80);
        let addresses = proxy.map_or_else(|| look_up(host, port).map_err(wrong), look_up_proxy)?;
        let authority = parsed.port().map_or(host.to_string(), |port| format!("{host}:{port}"));
        let target = &parsed[url::Position::BeforePath..url::Position::AfterQuery];
        let target = (target != "/").then(|| aside.restore(target));
        if is_tcp && target.is_some() {
            return Err(wrong(format!(", with a path, which {scheme}:// does not send; leave it out")));
        }
        let with_port = format!("{host}:{port}");
        Ok(Self { is_tcp, is_tls, addresses, host: host.to_string(), authority, with_port, target })
    }

    /// Keeps only the addresses that `local` can reach. Returns whether any are left.
    pub fn keep_family(&mut self, local: &[IpAddr]) -> bool {
        self.addresses.retain(|server| match server {
            Address::Ip(server) => local.iter().all(|local| local.is_ipv4() == server.is_ipv4()),
            Address::Unix(_) => local.is_empty(),
        });
        !self.addresses.is_empty()
    }
}

const UNIX: &str = "unix:";
/// sun_path of unix(7), without its last byte, which is 0.
const SOCKET_PATH_MAX_B: usize = 107;

/// `unix:/path/to/socket`, optionally followed by `:/target`.
fn parse_unix(given: &str, proxy: Option<&str>) -> Result<Url, String> {
    let aside = Aside::of(given);
    let (path, target) = match aside.text.split_once(":/") {
        Some((path, target)) => (path, Some(format!("/{target}"))),
        None => (aside.text.as_str(), None),
    };
    if aside.is_in(path) {
        return Err(format!("url is \"unix:{}\", and {MISPLACED}", mask_query(given)));
    }
    if path.is_empty() || aside.text.chars().any(|char| char.is_control() || char == ' ') {
        let shown = mask_query(given);
        return Err(format!("url is \"unix:{shown}\", and has no path or a space; use unix:/path/to/socket:/target"));
    }
    if path.len() > SOCKET_PATH_MAX_B {
        return Err(format!(
            "url is unix:{path}, whose path has over {SOCKET_PATH_MAX_B} bytes; link to it from a shorter one"
        ));
    }
    if target.as_ref().is_some_and(|target| !target.is_ascii() || target.contains('#')) {
        let shown = mask_query(given);
        return Err(format!("url is unix:{shown}, and no request has such characters; write them as %23 or %C3%A4"));
    }
    if proxy.is_some() {
        return Err("request.proxy: no proxy leads to a socket of this host; leave it out".into());
    }
    Ok(Url {
        is_tcp: false,
        is_tls: false,
        addresses: vec![Address::Unix(path.into())],
        host: "localhost".into(),
        authority: "localhost".into(),
        with_port: "localhost:80".into(),
        target: target.map(|target| aside.restore(&target)),
    })
}

fn look_up_proxy(proxy: &str) -> Result<Vec<Address>, String> {
    let wrong = |what: &str| format!("request.proxy is {:?}{what}; use http://host:port", hide_secrets(proxy));
    let parsed = url::Url::parse(proxy).map_err(|error| wrong(&format!(": {error}")))?;
    let is_plain = parsed.username().is_empty() && parsed.password().is_none();
    match (parsed.scheme(), parsed.host_str()) {
        ("http", Some(host)) if is_plain => look_up(host, parsed.port_or_known_default().unwrap_or(80))
            .map_err(|told| wrong(told.split("; ").next().unwrap_or(""))),
        ("http", Some(_)) => Err(wrong(", with a user or a password, which are not sent")),
        _ => Err(wrong("")),
    }
}

/// Masks a URL's user, password and secret parameters, so that they appear in no terminal and no log.
pub fn hide_secrets(url: &str) -> String {
    mask_query(&hide_password(url))
}

fn hide_password(url: &str) -> String {
    let from = url.find("://").map_or(0, |at| at + 3);
    match url.rfind('@') {
        // without a scheme this may be a file's path
        Some(to) if to < from || (from == 0 && (url[..to].contains('/') || !url[..to].contains(':'))) => {
            url.to_string()
        }
        Some(to) => format!("{}{MASK}{}", &url[..from], &url[to..]),
        None => url.to_string(),
    }
}

/// Returns whether it is plain TCP, and whether it is over TLS.
fn read_scheme(scheme: &str, rest: &str) -> Result<(bool, bool), String> {
    match scheme.to_ascii_lowercase().as_str() {
        "ws" => Ok((false, false)),
        "wss" => Ok((false, true)),
        "tcp" => Ok((true, false)),
        "tls" => Ok((true, true)),
        "http" => Err(format!(", and WebSocket is spoken here; use ws://{rest}")),
        "https" => Err(format!(", and WebSocket is spoken here; use wss://{rest}")),
        _ => Err(format!(", of an unknown scheme; {EXAMPLE}")),
    }
}

/// A URL whose places for a connection's own values are set aside, since a parser would encode them.
struct Aside<'t> {
    text: String,
    /// stands for them, with their numbers
    mark: String,
    places: Vec<&'t str>,
}

impl<'t> Aside<'t> {
    fn of(given: &'t str) -> Self {
        let mut mark = String::from("place");
        while given.contains(&mark) {
            mark.push('x');
        }
        let (mut text, mut places, mut rest) = (String::new(), Vec::new(), given);
        while let Some((before, from)) = rest.split_once("{{") {
            let Some((name, after)) = from.split_once("}}") else { break };
            text += &format!("{before}{mark}{}.", places.len());
            places.push(name);
            rest = after;
        }
        Self { text: text + rest, mark, places }
    }

    fn is_in(&self, part: &str) -> bool {
        part.contains(&self.mark)
    }

    fn restore(&self, part: &str) -> String {
        let numbered = self.places.iter().enumerate();
        numbered.fold(part.to_string(), |restored, (number, name)| {
            restored.replace(&format!("{}{number}.", self.mark), &format!("{{{{{name}}}}}"))
        })
    }
}

/// Of a host, or of a socket's file.
const MISPLACED: &str = "has a {{place}} before its path; places stand in path and query alone";

/// Refuses what the parser would silently repair.
fn check_text(rest: &str) -> Result<(), String> {
    if rest.chars().any(char::is_control) {
        return Err(", with a line break or another control character; leave it out, or write it as %0A".into());
    }
    if rest.starts_with(['/', '\\', '?', '#']) || rest.is_empty() {
        return Err(format!(", without a host; {EXAMPLE}"));
    }
    Ok(())
}

/// Refuses fragments (RFC 6455, section 3), and passwords: no engine here asks for one.
fn check_parts(parsed: url::Url) -> Result<url::Url, String> {
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(", with a user or a password, which are not sent; leave out all before the @".into());
    }
    if parsed.fragment().is_some() {
        return Err(", with a fragment, which is never sent; leave it out, or write # as %23".into());
    }
    if parsed.port() == Some(0) {
        return Err(", and port 0 is none; use a port from 1 to 65535".into());
    }
    Ok(parsed)
}

/// Addresses alternate between families (RFC 8305, section 4). IPv4 is first, because the suite's servers listen there.
fn look_up(host: &str, port: u16) -> Result<Vec<Address>, String> {
    let mut addresses: Vec<SocketAddr> = if host == "localhost" {
        // RFC 6761, section 6.3: always both loopback addresses, whatever the hosts file says
        let both = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        both.map(|ip: IpAddr| SocketAddr::new(ip, port)).to_vec()
    } else {
        let found = (host.trim_matches(['[', ']']), port).to_socket_addrs();
        found.map_err(|error| format!(": {error}; check the host's name, or give its address"))?.collect()
    };
    let mut seen = HashSet::new();
    addresses.retain(|address| seen.insert(*address));
    let mut places = [0; 2]; // next rank in each family
    addresses.sort_by_cached_key(|address| {
        let is_ipv6 = address.is_ipv6();
        let place = places[usize::from(is_ipv6)];
        places[usize::from(is_ipv6)] += 1;
        (place, is_ipv6)
    });
    if addresses.is_empty() {
        return Err(format!(", a host without an address; {EXAMPLE}"));
    }
    Ok(addresses.into_iter().map(Address::Ip).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(address: &Address) -> u16 {
        match address {
            Address::Ip(address) => address.port(),
            Address::Unix(_) => 0,
        }
    }

    #[test]
    fn a_socket_of_this_host_has_a_path_and_perhaps_a_target() {
        let url = Url::parse("unix:/run/app.sock:/chat?a=b").unwrap();
        assert_eq!(
            (url.addresses[0].to_string().as_str(), url.target.as_deref()),
            ("/run/app.sock", Some("/chat?a=b"))
        );
        assert_eq!(Url::parse("unix:app.sock").unwrap().target, None);
        assert!(Url::parse("unix:").unwrap_err().contains("use unix:/path"));
        for target in ["/chat#x", "/\u{e4}"] {
            assert!(
                Url::parse(&format!("unix:a.sock:{target}")).unwrap_err().contains("write them as %23"),
                "{target}"
            );
        }
        assert!(Url::parse(&format!("unix:/{}", "a".repeat(107))).unwrap_err().contains("over 107 bytes"));
        assert!(Url::is_one("unix:/run/a") && !Url::is_one("/run/a.json"));
    }

    #[test]
    fn a_proxy_is_called_in_the_place_of_a_server_that_need_not_be_known_here() {
        let url = Url::parse_via("wss://nowhere.invalid/a", Some("http://127.0.0.1:3128")).unwrap();
        assert_eq!(
            (url.addresses[0].to_string().as_str(), url.with_port.as_str()),
            ("127.0.0.1:3128", "nowhere.invalid:443")
        );
        for proxy in ["127.0.0.1:3128", "socks5://127.0.0.1", "http://a:secret@127.0.0.1"] {
            let told = Url::parse_via("ws://127.0.0.1", Some(proxy)).unwrap_err();
            assert!(told.starts_with("request.proxy is ") && !told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn a_url_names_host_port_and_path() {
        let url = Url::parse("ws://127.0.0.1:8080/a?b").unwrap();
        assert_eq!((port(&url.addresses[0]), url.target.as_deref(), url.is_tcp), (8080, Some("/a?b"), false));
        assert_eq!(url.authority, "127.0.0.1:8080");
        assert_eq!(port(&Url::parse("ws://127.0.0.1").unwrap().addresses[0]), 80);
        assert_eq!(port(&Url::parse("wss://127.0.0.1").unwrap().addresses[0]), 443);
        assert_eq!(Url::parse("ws://127.0.0.1?b").unwrap().target.as_deref(), Some("/?b"));
        assert!(Url::parse("tcp://127.0.0.1:7").unwrap().is_tcp);
        let ipv6 = Url::parse("ws://[::1]:7/").unwrap();
        assert_eq!((ipv6.target, ipv6.authority.as_str()), (None, "[::1]:7"));
        assert_eq!(ipv6.addresses[0].to_string(), "[::1]:7");
    }

    #[test]
    fn localhost_is_both_loopback_addresses_and_local_ones_choose_the_family() {
        let mut url = Url::parse("ws://localhost:7").unwrap();
        let both = ["127.0.0.1:7", "[::1]:7"].map(|address| Address::Ip(address.parse().unwrap()));
        assert_eq!(url.addresses, both);
        assert!(url.keep_family(&[]) && url.addresses == both);
        assert!(url.keep_family(&[Ipv6Addr::LOCALHOST.into()]) && url.addresses == both[1..]);
        assert!(!url.keep_family(&[Ipv4Addr::LOCALHOST.into()]));
    }

    #[test]
    fn a_scheme_may_be_written_in_any_case() {
        assert!(!Url::parse("WS://127.0.0.1:7").unwrap().is_tcp && Url::parse("Tcp://127.0.0.1:7").unwrap().is_tcp);
    }

    #[test]
    fn a_path_is_percent_encoded_once() {
        let target = |path: &str| Url::parse(&format!("ws://127.0.0.1:7{path}")).unwrap().target.unwrap();
        assert_eq!(target("/a b?c d"), "/a%20b?c%20d");
        assert_eq!(target("/\u{e4}?\u{e4}"), "/%C3%A4?%C3%A4");
        assert_eq!(target("/a%20b"), "/a%20b");
        assert_eq!(target("/a@b"), "/a@b");
        assert_eq!(
            target("/{a}/{{ data:my user }}?{{data:\u{e4}}}&c d"),
            "/%7Ba%7D/{{ data:my user }}?{{data:\u{e4}}}&c%20d"
        );
        assert_eq!(target(&format!("/{}", "a".repeat(50_000))).len(), 50_001);
    }

    #[test]
    fn a_password_is_refused_and_never_repeated() {
        for url in [
            "ws://user:secret@127.0.0.1:80",
            "ws://user:secret@127.0.0.1:99999",
            "ws://user:sec/secret@127.0.0.1:80",
            "ws://user:a@secret@127.0.0.1:80/x",
            "http://user:secret@127.0.0.1:80",
            "wss://user:secret@127.0.0.1:80",
            "ftp://user:secret@127.0.0.1:80",
            "user:secret@127.0.0.1:80",
            "ws://secret@127.0.0.1:80",
        ] {
            let told = Url::parse(url).unwrap_err();
            assert!(!told.contains("secret") && told.contains("***@"), "{url}: {told}");
        }
    }

    #[test]
    fn what_is_no_url_is_told_with_the_next_step() {
        for (url, words) in [
            ("127.0.0.1:80", "; use ws://"),
            ("http://127.0.0.1:80", "; use ws://127.0.0.1:80"),
            ("ftp://127.0.0.1:80", "unknown scheme; use "),
            ("https://127.0.0.1:80", "; use wss://127.0.0.1:80"),
            ("ws://127.0.0.1:99999", "invalid port number; use "),
            ("ws://127.0.0.1:-1", "invalid port number; use "),
            ("ws://127.0.0.1:0", "port 0 is none; use "),
            ("ws://", "without a host; use "),
            ("tcp://127.0.0.1:7/path", "with a path, which tcp:// does not send; leave it out"),
            ("ws:///path", "without a host; use "),
            ("ws://:80", "empty host; use "),
            ("ws://[fe80::1%25lo]:80", "invalid IPv6 address; use "),
            ("ws://127.0.0.1:7/a#b", "with a fragment, which is never sent; leave it out"),
            ("localhost:9000/ws?token=abcdefghijklmnop&to=https://a", "use ws://host:port/path"),
            ("ws://127.0.0.1:7/a\r\nX: y", "line break or another control character; leave it out"),
            ("ws://127.0.0.1:7/a\0", "control character; leave it out"),
        ] {
            let told = Url::parse(url).unwrap_err();
            assert!(told.contains(words), "{url}: {told}");
        }
    }
}
