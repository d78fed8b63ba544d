//! The upgrade request: what it says beyond RFC 6455, and its proxy.

use crate::input;
use crate::message::data::Data;
use crate::message::template::Template;
use crate::secrets::{is_secret, MASK};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Names and values, in the order to send
    pub headers: Vec<(String, String)>,
    /// Offered to the server, which chooses one
    pub subprotocols: Vec<String>,
    /// File with the token for `Authorization: Bearer`. It is read when the load starts and appears in no report.
    pub bearer_file: Option<PathBuf>,
    /// `http://host:port` of a proxy; the tunnel is opened by CONNECT
    pub proxy: Option<String>,
}

/// Words before a credential (RFC 9110, section 11.4), which are no secret.
const SCHEMES: [&str; 4] = ["basic", "bearer", "digest", "token"];
/// Headers that the handshake itself sets.
const OWN: [&str; 8] = [
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-extensions",
    "sec-websocket-protocol",
    "content-length",
    "transfer-encoding",
];

impl Request {
    /// The additional headers, one CRLF-terminated line each, without Host.
    /// Errors: a file that can't be read, or a place that is none, `<what, with the value>; <next step>`.
    pub fn lines(&self, data: &Data) -> Result<Template, String> {
        let mut lines = Template::default();
        let mut add = |name: &str, value: Template| {
            [Template::of_text(&format!("{name}: ")), value, Template::of_text("\r\n")]
                .into_iter()
                .for_each(|part| lines.append(part));
        };
        if let Some(file) = &self.bearer_file {
            add("Authorization", Template::of_text(&format!("Bearer {}", read_token(file)?)));
        }
        if !self.subprotocols.is_empty() {
            add("Sec-WebSocket-Protocol", Template::of_text(&self.subprotocols.join(", ")));
        }
        for (name, value) in self.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            add(name, read_value(name, value, data)?);
        }
        Ok(lines)
    }

    /// The Host header, if it is not to be the URL's. Errors: as `lines`.
    pub fn host(&self, data: &Data) -> Result<Option<Template>, String> {
        let named = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
        named.map(|(name, value)| read_value(name, value, data)).transpose()
    }

    /// A copy for a report, with secret values masked.
    pub fn without_secrets(&self) -> Self {
        let hide = |(name, value): &(String, String)| {
            (name.clone(), if is_secret(name) { MASK.into() } else { value.clone() })
        };
        Self { headers: self.headers.iter().map(hide).collect(), ..self.clone() }
    }

    /// The token, and values of secret headers, whole and word by word: `abcd` of `Basic abcd`; `a=1` and `1` of `a=1; b=2`.
    pub(super) fn secrets(&self) -> Vec<String> {
        let values = self.headers.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
        let is_scheme = |word: &str| SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
        let parts = values.clone().flat_map(|value| value.split([' ', ';', ','])).filter(|part| !is_scheme(part));
        let words = parts.flat_map(|part| [Some(part), part.split_once('=').map(|(_, word)| word)]).flatten();
        let token = self.bearer_file.as_deref().and_then(|file| read_token(file).ok());
        words.map(str::to_string).chain(values.cloned()).chain(token).collect()
    }

    /// All problems, each `<what, with the value>; <next step>`.
    pub fn problems(&self, data: &Data) -> Vec<String> {
        let is_token = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte))
        };
        let mut wrong = Vec::new();
        for once in ["Host", "Origin"] {
            if self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(once)).count() > 1 {
                wrong.push(format!("request.headers: {once} stands twice; give it once"));
            }
        }
        for (name, value) in &self.headers {
            if !is_token(name) || value.chars().any(char::is_control) {
                wrong.push(format!("request.headers: {name:?} is no name of a header, or its value breaks the line; write \"Name: value\""));
            } else if OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                wrong.push(format!(
                    "request.headers: {name} is the handshake's own; leave it out, or see --subprotocol and --deflate"
                ));
            }
        }
        for subprotocol in self.subprotocols.iter().filter(|subprotocol| !is_token(subprotocol)) {
            wrong.push(format!(
                "request.subprotocols: {subprotocol:?} is no name; write letters, digits, and any of !#$%&'*+-.^_`|~"
            ));
        }
        let mut seen = HashSet::new();
        for subprotocol in self.subprotocols.iter().filter(|subprotocol| !seen.insert(subprotocol.as_str())) {
            wrong.push(format!("request.subprotocols: {subprotocol:?} stands twice; offer it once"));
        }
        let is_named = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
        if self.bearer_file.is_some() && self.headers.iter().any(is_named) {
            wrong.push("request.bearer_file: request.headers has Authorization, too; give one of them".into());
        }
        wrong.extend(self.lines(data).err());
        wrong.extend(self.host(data).err());
        wrong
    }
}

fn read_value(name: &str, value: &str, data: &Data) -> Result<Template, String> {
    Template::parse_request(value, data).map_err(|told| format!("request.headers: {name}: {told}"))
}

fn read_token(file: &Path) -> Result<String, String> {
    let wrong = |what: &str| format!("request.bearer_file {file:?}: {what}; give a file that holds a token alone");
    let text = input::read(file).map_err(|error| wrong(&error))?;
    match text.trim() {
        "" => Err(wrong("it is empty")),
        token if token.contains(|char: char| char.is_control() || char == ' ') => {
            Err(wrong("it has more than one word"))
        }
        token => Ok(token.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_go_out_as_given_and_the_host_apart() {
        let headers = [("Origin", "https://a.example"), ("host", "b.example"), ("Cookie", "a=1; b=2")];
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
        let request = Request { headers, subprotocols: vec!["v1".into(), "v2".into()], ..Request::default() };
        let none = Data::default();
        assert_eq!(request.problems(&none), Vec::<String>::new());
        let fill = |template: Template| template.fill(0, &none, str::to_string);
        let lines = "Sec-WebSocket-Protocol: v1, v2\r\nOrigin: https://a.example\r\nCookie: a=1; b=2\r\n";
        assert_eq!(fill(request.lines(&none).unwrap()), lines);
        assert_eq!(request.host(&none).unwrap().map(fill).as_deref(), Some("b.example"));
        let told = serde_json::to_string(&request.without_secrets()).unwrap();
        assert!(told.contains("a.example") && !told.contains("a=1"), "{told}");
    }

    #[test]
    fn what_breaks_the_request_is_refused() {
        let problem = |name: &str, value: &str| {
            let request = Request { headers: vec![(name.into(), value.into())], ..Request::default() };
            request.problems(&Data::default()).pop().unwrap()
        };
        assert!(problem("X-User", "{{data:user}}").contains("X-User: {{data:user}}: no file has values for it"));
        assert!(problem("a b", "c").contains("is no name of a header"));
        assert!(problem("a", "b\r\nc: d").contains("breaks the line"));
        assert!(problem("UPGRADE", "h2c").contains("the handshake's own"));
        let two = ["Host", "host"].map(|name| (name.to_string(), "a.example".to_string())).to_vec();
        assert_eq!(
            Request { headers: two, ..Request::default() }.problems(&Data::default()),
            ["request.headers: Host stands twice; give it once"]
        );
        let missing = Request { bearer_file: Some("/nowhere".into()), ..Request::default() };
        assert!(missing.problems(&Data::default())[0].starts_with("request.bearer_file \"/nowhere\": "));
        let twice = Request { headers: vec![("authorization".into(), "Basic abcd".into())], ..missing };
        assert!(twice.problems(&Data::default())[0].contains("has Authorization, too; give one of them"));
    }
}
