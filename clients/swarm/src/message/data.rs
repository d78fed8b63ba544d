//! A CSV file (RFC 4180) with a row for each connection: who it is, and where it goes.

use crate::input;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// The rows of a file; without a file, none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    columns: StringRecord,
    rows: Vec<StringRecord>,
}

impl Data {
    /// Errors: a file that can't be used, `<what, with the value>; <next step>`.
    pub fn read(file: &Path) -> Result<Self, String> {
        let wrong = |what: String| {
            format!("data {file:?}: {what}; give a CSV file: a line of names, then a row for each connection, with commas between values")
        };
        let text = input::read(file).map_err(wrong)?;
        Self::parse(&text).map_err(wrong)
    }

    /// Errors: what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
        let columns = reader.headers().map_err(|error| error.to_string())?.clone();
        let rows: Vec<_> = reader.records().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        if rows.is_empty() {
            return Err("it has no row below its first line".into());
        }
        let twice =
            columns.iter().enumerate().find(|(at, name)| columns.iter().take(*at).any(|before| before == *name));
        if let Some((at, _)) = twice {
            return Err(format!("column {} stands before with the same name", at + 1));
        }
        let breaks = rows.iter().find(|row| row.iter().any(|value| value.contains(char::is_control)));
        if let Some(line) = breaks.and_then(|row| Some(row.position()?.line())) {
            return Err(format!("line {line} has a line break or another control character in a value"));
        }
        Ok(Self { columns, rows })
    }

    pub fn is_given(&self) -> bool {
        !self.rows.is_empty()
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter()
    }

    /// Errors: no column of this name; the next step.
    pub fn column(&self, name: &str) -> Result<usize, String> {
        match self.columns().position(|column| column == name) {
            Some(at) => Ok(at),
            // without those there are: in a file that has no line of names they are somebody's secrets
            None if self.is_given() => Err(format!(
                "the {} names in the first line of the file have no such column; begin it with a line of names, with commas between them",
                self.columns.len()
            )),
            None => Err("no file has values for it; give one with --data".into()),
        }
    }

    /// Connection k has row k. Once there are no more, they are taken again from the first.
    pub fn value(&self, connection: u32, column: usize) -> &str {
        let row = connection as usize % self.rows.len().max(1);
        self.rows.get(row).and_then(|row| row.get(column)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_has_a_row_of_its_own_until_there_are_no_more() {
        let data = Data::parse("\u{feff}token, room\nt-0,\"a, b\"\r\nt-1,c\n").unwrap();
        let (token, room) = (data.column("token").unwrap(), data.column("room").unwrap());
        assert_eq!([0, 1, 2].map(|connection| data.value(connection, token)), ["t-0", "t-1", "t-0"]);
        assert_eq!(data.value(4, room), "a, b");
    }

    #[test]
    fn a_column_that_is_not_there_is_told_without_those_that_are() {
        let told = Data::parse("ada,hunter2\nbob,sesame\n").unwrap().column("user").unwrap_err();
        assert!(told.starts_with("the 2 names in the first line of the file have no such column; "), "{told}");
        assert!(!told.contains("hunter2"));
        assert!(Data::default().column("user").unwrap_err().ends_with("give one with --data"));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let told = |text: &str| Data::parse(text).unwrap_err();
        assert!(told("token\n").contains("no row below") && told("").contains("no row below"));
        assert!(told("a,b\n1,2\n3\n").contains("line: 3"), "{}", told("a,b\n1,2\n3\n"));
        assert!(told("a,a\n1,2\n").contains("column 2 stands before"));
        assert!(told("a\n1\n\"2\n3\"\n").contains("line 3 has a line break"), "{}", told("a\n1\n\"2\n3\"\n"));
        assert!(Data::read(Path::new("/nowhere")).unwrap_err().starts_with("data \"/nowhere\": No such file"));
    }
}
