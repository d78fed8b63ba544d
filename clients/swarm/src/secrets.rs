//! What no report shows: values of headers and of parameters that are secret.

use crate::percent;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use base64::Engine;
use std::collections::HashSet;

/// Words in the names of headers and of parameters of a query whose values are secret.
const WORDS: [&str; 12] =
    ["auth", "cookie", "credential", "jwt", "key", "passw", "pwd", "secret", "session", "signature", "ticket", "token"];
/// Whole names.
const NAMES: [&str; 5] = ["code", "pass", "pin", "sid", "sig"];
pub const MASK: &str = "***";

pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || WORDS.iter().any(|word| name.contains(word))
}

/// The URL with the values of secret parameters masked, and its fragment, in which some services hand out tokens.
pub fn mask_query(url: &str) -> String {
    if let Some((before, _)) = url.split_once('#') {
        return format!("{}#{MASK}", mask_query(before));
    }
    let Some((before, query)) = url.split_once('?') else { return url.to_string() };
    let mask = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}={MASK}"),
        _ => parameter.to_string(),
    };
    format!("{before}?{}", query.split('&').map(mask).collect::<Vec<_>>().join("&"))
}

/// The values of a message, in JSON or with something before it, whose names are secret: `abcd` of `{"token":"abcd"}`.
pub fn secrets_in(message: &str) -> Vec<String> {
    let string_at = |at: usize| {
        let mut strings = serde_json::Deserializer::from_str(&message[at..]).into_iter::<String>();
        let read = strings.next()?.ok()?;
        Some((read, at + strings.byte_offset()))
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(quote) = message[at..].find('"') {
        let Some((name, end)) = string_at(at + quote) else { break };
        at = end;
        let Some(rest) = message[end..].trim_start().strip_prefix(':').map(str::trim_start) else { continue };
        if let Some((value, end)) = string_at(message.len() - rest.len()).filter(|_| rest.starts_with('"')) {
            at = end;
            found.extend(is_secret(&name).then_some(value));
        } else if is_secret(&name) && (rest.starts_with("{{") || rest.starts_with(|char: char| char.is_ascii_digit())) {
            let place = rest.strip_prefix("{{").and_then(|name| Some(name.find("}}")? + 4));
            let end = place.or_else(|| rest.find([',', '}', ']'])).unwrap_or(rest.len());
            found.push(rest[..end].trim_end().to_string()); // a number, or a place for one
        }
    }
    found
}

/// Hiding a shorter value would hide words that are no secret.
const SECRET_MIN_B: usize = 4;
/// So many bytes of a value in a row are hidden wherever they stand: servers shorten a token when they quote it.
const PART_B: usize = 8;

/// What the server is sent and no report shows, also where the server repeats it.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    whole: Vec<String>,
    parts: HashSet<[u8; PART_B]>,
}

impl Secrets {
    /// Each value is hidden as it is, percent-encoded and in base64. Of a value in base64 that says `user:password` the password is hidden
    /// too (RFC 7617). `headers`: values that may have names and schemes in them; `bare`: values that are secret from end to end.
    pub fn new(headers: Vec<String>, bare: Vec<String>) -> Self {
        let passwords: Vec<String> = headers.iter().chain(&bare).filter_map(|value| password_in(value)).collect();
        let bare = bare.into_iter().chain(passwords).map(|value| (value, true));
        let values = headers
            .into_iter()
            .map(|value| {
                let is_bare = is_bare(&value);
                (value, is_bare)
            })
            .chain(bare);
        let (mut whole, mut parts) = (Vec::new(), HashSet::new());
        for (value, is_bare) in values.filter(|(value, _)| value.len() >= SECRET_MIN_B) {
            let forms = forms_of(&value);
            if is_bare {
                let windows = forms.iter().flat_map(|form| form.as_bytes().windows(PART_B));
                parts.extend(windows.map(|part| <[u8; PART_B]>::try_from(part).expect("a window of this length")));
            }
            whole.extend(forms);
        }
        Self { whole, parts }
    }

    /// A text of the server's, which may repeat what it was sent, with all that is secret masked.
    pub fn hide(&self, text: &str) -> String {
        let mut is_hidden = vec![false; text.len()];
        for secret in &self.whole {
            text.match_indices(secret).for_each(|(at, _)| is_hidden[at..at + secret.len()].fill(true));
        }
        for (at, part) in text.as_bytes().windows(PART_B).enumerate() {
            if self.parts.contains(part) {
                is_hidden[at..at + PART_B].fill(true);
            }
        }
        let (mut shown, mut was_hidden) = (String::with_capacity(text.len()), false);
        for (at, char) in text.char_indices() {
            let is_secret = is_hidden[at..at + char.len_utf8()].contains(&true);
            match (is_secret, was_hidden) {
                (false, _) => shown.push(char),
                (true, false) => shown.push_str(MASK),
                (true, true) => {}
            }
            was_hidden = is_secret;
        }
        shown
    }
}

/// Is it without names and schemes, as in `a=1; b=2` and `Bearer abcd`? Their parts are no secret.
fn is_bare(value: &str) -> bool {
    !value.trim_end_matches('=').contains([' ', '=', ';', ','])
}

fn password_in(credential: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(credential).ok()?).ok()?;
    text.split_once(':').map(|(_, password)| password.to_string())
}

/// As it is, as in a URL by both ways to write it, and in base64, whose end depends on what follows.
fn forms_of(secret: &str) -> [String; 5] {
    let in_url = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let whole_groups = &secret.as_bytes()[..secret.len() / 3 * 3];
    [secret.to_string(), in_url, percent::encode(secret), STANDARD.encode(whole_groups), URL_SAFE.encode(whole_groups)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_shows_no_value_of_a_secret_parameter() {
        let shown = mask_query("wss://a/b?room=1&access_token=abcd&API_KEY=x&flag");
        assert_eq!(shown, "wss://a/b?room=1&access_token=***&API_KEY=***&flag");
        assert_eq!(mask_query("wss://a/token=1"), "wss://a/token=1");
        assert_eq!(mask_query("wss://a?ticket=x&sig=y&design=z"), "wss://a?ticket=***&sig=***&design=z");
    }

    fn secrets(values: &[&str]) -> Secrets {
        Secrets::new(values.iter().map(|value| value.to_string()).collect(), Vec::new())
    }

    #[test]
    fn a_message_says_by_its_names_what_is_secret_in_it() {
        let login = r#"42["login",{"user":"ada","password" : "se\"same","token":"{{random:8}}","at":{{due_us}},"api_key":"k-1"}]"#;
        assert_eq!(secrets_in(login), ["se\"same", "{{random:8}}", "k-1"]);
        let numbers = r#"{"pin":90417 ,"more":["token","x"],"pass":{{data:otp}},"auth":{"code":null}}"#;
        assert_eq!(secrets_in(numbers), ["90417", "{{data:otp}}"]);
        assert_eq!(secrets_in("AUTH \"half"), Vec::<String>::new());
    }

    #[test]
    fn a_text_shows_no_secret_however_often_it_repeats_it() {
        let secrets = secrets(&["abcd-long", "abcd", "abc"]);
        assert_eq!(secrets.hide("abcd-long of abcd, abcd, abc"), "*** of ***, ***, abc");
        assert_eq!(Secrets::default().hide("any text"), "any text");
    }

    #[test]
    fn a_secret_is_hidden_shortened_encoded_and_decoded() {
        let token = secrets(&["eyJhbGciOi+Zw.Zm9v"]);
        assert_eq!(token.hide("bad token eyJhbGciOi…, é"), "bad token ***…, é");
        assert_eq!(token.hide("of 7 bytes: eyJhbGc"), "of 7 bytes: eyJhbGc");
        assert_eq!(token.hide("?t=eyJhbGciOi%2BZw.Zm9v&a=1"), "?t=***&a=1");
        assert_eq!(token.hide("ZXlKaGJHY2lPaStady5abTl2 is unknown"), "*** is unknown");
        let cookie = secrets(&["sessionid=0123456789", "0123456789"]);
        assert_eq!(cookie.hide("sessionid=01234567 is not sessionid=0123456789"), "sessionid=*** is not ***");
        assert_eq!(secrets(&["open sesame~1"]).hide("no open%20sesame~1"), "no ***");
        let phrase = Secrets::new(Vec::new(), vec!["correct horse battery".into()]);
        assert_eq!(phrase.hide("bad password: correct horse bat…"), "bad password: ***…");
        assert_eq!(phrase.hide("that is correct"), "that is correct");
        let basic = secrets(&["YWRtaW46c2VzYW1l"]); // admin:sesame
        assert_eq!(basic.hide("admin: \"sesame\" is wrong"), "admin: \"***\" is wrong");
    }
}
