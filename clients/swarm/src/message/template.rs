//! Templates: a text with places that are filled in for each message, or for each connection's request.

use super::data::Data;
use crate::random::Draws;

/// A part of a template: text, or a place such as `{{id}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Id,
    Connection,
    /// `{{connection%N}}`: the rest of the division
    Remainder(u32),
    DueUs,
    Random(usize),
    /// `{{data:COLUMN}}`: index of the column
    Data(usize),
    /// The same in a string of JSON
    Quoted(usize),
}

/// Longest `{{random:N}}`.
const RANDOM_MAX: usize = 1 << 24;
const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// A template, parsed once and written many times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub data: &'d Data,
}

impl Template {
    /// A text without places.
    pub fn of_text(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }

    /// Parses a message. Ignores the newline that an editor leaves at the end.
    /// Errors: an unknown place; lists the known ones.
    pub fn parse(text: &str, data: &Data) -> Result<Self, String> {
        let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        let mut parsed = Self::parse_with(text, |name| place(name, data))?;
        if parsed.is_json() {
            parsed.quote();
        }
        Ok(parsed)
    }

    /// Parses a part of a request, which is the same each time that a connection makes it.
    /// Errors: as `parse`.
    pub fn parse_request(text: &str, data: &Data) -> Result<Self, String> {
        let parsed = Self::parse_with(text, |name| match place_of_connection(name, data) {
            Some(place) => place,
            None => Err(format!("{{{{{name}}}}} is no place in a request; use {OF_CONNECTION}")),
        })?;
        match parsed.parts.last() {
            Some(Part::Text(last)) if last.windows(2).any(|pair| pair == b"{{") => {
                Err(format!("a place is not closed by }}}}; use {OF_CONNECTION}"))
            }
            _ => Ok(parsed),
        }
    }

    /// Is it JSON, maybe behind the number of an acknowledgement, wherever a number stands in its places?
    fn is_json(&self) -> bool {
        let with_numbers = self.parts.iter().flat_map(|part| match part {
            Part::Text(text) => text.as_slice(),
            _ => b"1",
        });
        let filled: Vec<u8> = with_numbers.copied().collect();
        let from = filled.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or_default();
        serde_json::from_slice::<serde::de::IgnoredAny>(&filled[from..]).is_ok()
    }

    /// Of JSON: values in its strings are escaped.
    fn quote(&mut self) {
        let (mut is_in_string, mut is_escaped) = (false, false);
        for part in &mut self.parts {
            match part {
                Part::Text(text) => text.iter().for_each(|byte| {
                    is_in_string ^= *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                }),
                Part::Data(column) if is_in_string => *part = Part::Quoted(*column),
                _ => {}
            }
        }
    }

    fn parse_with(text: &str, place: impl Fn(&str) -> Result<Part, String>) -> Result<Self, String> {
        let mut rest = text;
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

    pub fn append(&mut self, other: Self) {
        self.parts.extend(other.parts);
    }

    /// The columns of a file that it has a place for.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Data(column) | Part::Quoted(column) => Some(*column),
            _ => None,
        })
    }

    /// The part of a request for a connection. `encode`: what a value of a file is written as.
    pub fn fill(&self, connection: u32, data: &Data, encode: impl Fn(&str) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Part::Connection => connection.to_string(),
            Part::Remainder(of) => (connection % of).to_string(),
            Part::Data(column) => encode(data.value(connection, *column)),
            Part::Id | Part::DueUs | Part::Random(_) | Part::Quoted(_) => String::new(), // no request has them
        });
        parts.collect()
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
                Part::Remainder(of) => write_number(out, (values.connection % of).into()),
                Part::DueUs => write_number(out, values.due_us),
                Part::Data(column) => out.extend_from_slice(values.data.value(values.connection, *column).as_bytes()),
                // control characters, which JSON would have escaped too, are in no file of data
                Part::Quoted(column) => values.data.value(values.connection, *column).bytes().for_each(|byte| {
                    out.extend(matches!(byte, b'"' | b'\\').then_some(b'\\'));
                    out.push(byte);
                }),
                Part::Random(count) => {
                    out.extend((0..*count).map(|_| LETTERS[(values.draws.draw() * LETTERS.len() as f64) as usize]))
                }
            }
        }
    }
}

const OF_CONNECTION: &str = "{{connection}}, {{connection%N}} or {{data:COLUMN}}";

fn place(name: &str, data: &Data) -> Result<Part, String> {
    let count = |text: &str| text.parse().ok().filter(|count| (1..=RANDOM_MAX).contains(count));
    if let Some(place) = place_of_connection(name, data) {
        return place;
    }
    match name {
        "id" => Ok(Part::Id),
        "due_us" => Ok(Part::DueUs),
        _ => match name.strip_prefix("random:").and_then(count) {
            Some(count) => Ok(Part::Random(count)),
            None => Err(format!(
                "{{{{{name}}}}} is no place; use {{{{id}}}}, {{{{due_us}}}}, {{{{random:N}}}}, N up to {RANDOM_MAX}, {OF_CONNECTION}"
            )),
        },
    }
}

/// A place whose value the connection decides; `None`: it is no such place.
fn place_of_connection(name: &str, data: &Data) -> Option<Result<Part, String>> {
    if name == "connection" {
        return Some(Ok(Part::Connection));
    }
    if let Some(column) = name.strip_prefix("data:") {
        return Some(data.column(column).map(Part::Data).map_err(|told| format!("{{{{{name}}}}}: {told}")));
    }
    let of = name.strip_prefix("connection%")?.parse().ok().filter(|of| *of > 0)?;
    Some(Ok(Part::Remainder(of)))
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

    fn data() -> Data {
        Data::parse("token,room\nt-0,a&b\nt-1,lobby\n").unwrap()
    }

    fn written(text: &str, id: u64) -> String {
        let (data, mut out, draws) = (data(), Vec::new(), &mut Draws::new(1, 1));
        let mut values = Values { id, connection: 7, due_us: 1_700_000_000_000_000, draws, data: &data };
        Template::parse(text, &data).unwrap().write(&mut out, &mut values);
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
        for text in
            ["{{ID}}", "{{random}}", "{{random:0}}", "{{random:x}}", "{{random:99999999999}}", "{{connection%0}}"]
        {
            let told = Template::parse(text, &data()).unwrap_err();
            assert!(told.starts_with(text) && told.contains("use {{id}}, "), "{told}");
        }
        let told = Template::parse("{{data:user}}", &data()).unwrap_err();
        assert!(told.starts_with("{{data:user}}: the 2 names in the first line"), "{told}");
    }

    #[test]
    fn a_value_in_a_string_of_json_is_escaped_and_no_other() {
        let data = Data::parse("name,n\n\"Ann \"\"Q\"\" \\\",7\n").unwrap();
        let written = |text: &str| {
            let (mut out, draws) = (Vec::new(), &mut Draws::new(1, 1));
            let template = Template::parse(text, &data).unwrap();
            template.write(&mut out, &mut Values { id: 3, connection: 0, due_us: 5, draws, data: &data });
            String::from_utf8(out).unwrap()
        };
        let said = written(r#"{{id}}["say",{"a\\":"by {{data:name}}","n":{{data:n}}}]"#);
        assert_eq!(said, r#"3["say",{"a\\":"by Ann \"Q\" \\","n":7}]"#);
        assert_eq!(written(r#"say "{{data:name}}""#), r#"say "Ann "Q" \""#, "no JSON");
    }

    #[test]
    fn a_place_of_a_request_is_closed() {
        let told = Template::parse_request("/rooms/{{data:room", &data()).unwrap_err();
        assert!(told.starts_with("a place is not closed by }}; use {{connection}}"), "{told}");
    }

    #[test]
    fn a_connection_has_its_row_and_its_share_of_the_rooms() {
        assert_eq!(written("{{data:token}} of {{data:room}}, {{connection%4}}", 1), "t-1 of lobby, 3");
        let request = |text: &str| Template::parse_request(text, &data());
        let filled = |text: &str| request(text).unwrap().fill(2, &data(), |value| value.replace('&', "%26"));
        assert_eq!(filled("/{{data:room}}?n={{connection}}"), "/a%26b?n=2");
        assert_eq!(request("{{data:room}}{{data:token}}").unwrap().columns().collect::<Vec<_>>(), [1, 0]);
        assert!(request("{{id}}").unwrap_err().contains("no place in a request; use {{connection}}, "));
    }
}
