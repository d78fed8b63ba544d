//! What no report shows: values of headers and of parameters that are secret.

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

/// The URL with the values of secret parameters masked.
pub fn mask_query(url: &str) -> String {
    let Some((before, query)) = url.split_once('?') else { return url.to_string() };
    let mask = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}={MASK}"),
        _ => parameter.to_string(),
    };
    format!("{before}?{}", query.split('&').map(mask).collect::<Vec<_>>().join("&"))
}

/// A text of the server's, which may repeat what it was sent, with each secret masked.
pub fn mask(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_string(), |text, secret| text.replace(secret, MASK))
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

    #[test]
    fn a_text_shows_no_secret_however_often_it_repeats_it() {
        let secrets = ["abcd-long", "abcd"].map(str::to_string);
        assert_eq!(mask("abcd-long of abcd, abcd", &secrets), "*** of ***, ***");
    }
}
