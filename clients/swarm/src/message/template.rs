//! Message templates: a text with placeholders that are filled in for each message.

use crate::random::Draws;

/// A part of a template: text, or a placeholder such as `{{id}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Id,
    Connection,
    DueUs,
    Random(usize),
}

/// Longest `{{random:N}}`.
const RANDOM_MAX: usize = 1 << 24;
const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// A template, parsed once and written many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// The values for one message.
pub struct Values<'d> {
    /// Message number over the whole load; in first messages the connection's, from 1
    pub id: u64,
    pub connection: u32,
    /// When it was due, Unix time
    pub due_us: u64,
    pub draws: &'d mut Draws,
}

impl Template {
    /// Parses a template. Ignores the newline that an editor leaves at the end.
    /// Errors: an unknown placeholder; lists the known ones.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        let mut parts = Vec::new();
        while let Some((before, from)) = rest.split_once("{{") {
            let Some((name, after)) = from.split_once("}}") else { break };
            parts.push(Part::Text(before.into()));
            parts.push(place(name.trim())?);
            rest = after;
        }
        parts.push(Part::Text(rest.into()));
        parts.retain(|part| *part != Part::Text(Vec::new()));
        Ok(Self { parts })
    }

    pub fn has_id(&self) -> bool {
        self.parts.contains(&Part::Id)
    }

    /// Appends one message.
    pub fn write(&self, out: &mut Vec<u8>, values: &mut Values) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Id => write_number(out, values.id),
                Part::Connection => write_number(out, values.connection.into()),
                Part::DueUs => write_number(out, values.due_us),
                Part::Random(count) => {
                    out.extend((0..*count).map(|_| LETTERS[(values.draws.draw() * LETTERS.len() as f64) as usize]))
                }
            }
        }
    }
}

fn place(name: &str) -> Result<Part, String> {
    let count = |text: &str| text.parse().ok().filter(|count| (1..=RANDOM_MAX).contains(count));
    match name {
        "id" => Ok(Part::Id),
        "connection" => Ok(Part::Connection),
        "due_us" => Ok(Part::DueUs),
        _ => match name.strip_prefix("random:").and_then(count) {
            Some(count) => Ok(Part::Random(count)),
            None => Err(format!(
                "{{{{{name}}}}} is no place; use {{{{id}}}}, {{{{connection}}}}, {{{{due_us}}}} or {{{{random:N}}}}, N up to {RANDOM_MAX}"
            )),
        },
    }
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return out.extend_from_slice(&digits[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, id: u64) -> String {
        let mut out = Vec::new();
        let mut values = Values { id, connection: 7, due_us: 1_700_000_000_000_000, draws: &mut Draws::new(1, 1) };
        Template::parse(text).unwrap().write(&mut out, &mut values);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn places_are_filled_and_all_else_stays() {
        let text = "{\"a\":{\"id\":{{id}},\"c\":\"{{ connection }}\"},\"t\":{{due_us}}}}\r\n";
        assert_eq!(written(text, 0), "{\"a\":{\"id\":0,\"c\":\"7\"},\"t\":1700000000000000}}");
        assert_eq!(written("{{id}}{{id}}", u64::MAX), format!("{0}{0}", u64::MAX));
        assert_eq!(written("no place {{ here", 1), "no place {{ here");
        assert_eq!(written("", 1), "");
    }

    #[test]
    fn random_letters_are_as_many_as_asked_for() {
        let drawn = written("{{random:1000}}", 1);
        assert!(drawn.len() == 1000 && drawn.bytes().all(|byte| LETTERS.contains(&byte)));
        assert!(LETTERS.iter().all(|letter| drawn.bytes().any(|byte| byte == *letter)));
    }

    #[test]
    fn an_unknown_place_is_refused_with_those_there_are() {
        for text in ["{{ID}}", "{{random}}", "{{random:0}}", "{{random:x}}", "{{random:99999999999}}"] {
            let told = Template::parse(text).unwrap_err();
            assert!(told.starts_with(text) && told.contains("use {{id}}, "), "{told}");
        }
    }
}
