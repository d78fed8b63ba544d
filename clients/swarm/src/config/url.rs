//! Where to connect.

use std::net::{SocketAddr, ToSocketAddrs};

/// What a URL says, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// TCP without WebSocket?
    pub is_tcp: bool,
    pub address: SocketAddr,
    /// as in the URL, for the Host header
    pub authority: String,
    /// path and query; `None`: the dialect's own
    pub target: Option<String>,
}

impl Url {
    /// Parses `ws://host[:port][/path]` or `tcp://host:port`, and looks the host up.
    pub fn parse(url: &str) -> Result<Self, String> {
        let example = "use ws://host:port/path or tcp://host:port";
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(format!("url is {url:?}; {example}"));
        };
        let is_tcp = match scheme {
            "ws" => false,
            "tcp" => true,
            "http" => return Err(format!("url is {url:?}, and WebSocket is spoken here; use ws://{rest}")),
            "wss" | "https" => {
                return Err(format!("url is {url:?}, and TLS is not spoken here; use ws:// on a port without TLS"))
            }
            _ => return Err(format!("url is {url:?}, of an unknown scheme; {example}")),
        };
        let path_at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(path_at);
        let with_port = if has_port(authority) { authority.to_string() } else { format!("{authority}:80") };
        let found = with_port.to_socket_addrs().map_err(|error| format!("url is {url:?}: {error}; {example}"))?;
        let addresses: Vec<_> = found.collect();
        // IPv4 first, as long as servers of the suite listen there
        let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
        let address = *address.ok_or_else(|| format!("url is {url:?}, a host without an address; {example}"))?;
        let target = match target {
            "" | "/" => None,
            _ if target.starts_with('?') => Some(format!("/{target}")),
            _ => Some(target.to_string()),
        };
        Ok(Self { is_tcp, address, authority: authority.to_string(), target })
    }
}

fn has_port(authority: &str) -> bool {
    authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_host_port_and_path() {
        let url = Url::parse("ws://127.0.0.1:8080/a?b").unwrap();
        assert_eq!((url.address.port(), url.target.as_deref(), url.is_tcp), (8080, Some("/a?b"), false));
        assert_eq!(Url::parse("ws://127.0.0.1").unwrap().address.port(), 80);
        assert!(Url::parse("tcp://127.0.0.1:7").unwrap().is_tcp);
        assert_eq!(Url::parse("ws://[::1]:7/").unwrap().target, None);
    }

    #[test]
    fn what_is_no_url_is_told_with_the_next_step() {
        for url in [
            "127.0.0.1:80",
            "http://127.0.0.1:80",
            "ftp://127.0.0.1:80",
            "wss://127.0.0.1:80",
            "ws://127.0.0.1:99999",
            "ws://",
        ] {
            assert!(Url::parse(url).unwrap_err().contains("; use "), "{url}");
        }
    }
}
