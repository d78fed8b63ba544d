//! The files of clients/CONTRACT.md. Each is written whole or not at all.

use super::summary::Done;
use crate::tally::counts::Row;
use crate::tally::second::Second;
use crate::tally::sketch::Sketch;
use crate::tally::spread;
use crate::tally::Tally;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::V2DeflateSerializer;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// A histogram of a second that goes into a log, and its tag.
type Part = (Option<&'static str>, fn(&Second) -> &Sketch);

const LATENCY: [Part; 1] = [(None, |second| &second.latency)];
const SERVICE: [Part; 1] = [(None, |second| &second.service)];
/// Untagged: the whole time to connect. Tagged: its parts, TCP, upgrade, the dialect's handshake, and of a load over TLS that of TLS.
const CONNECT: [Part; 5] = [
    (None, |second| &second.connect.whole),
    (Some("tcp"), |second| &second.connect.tcp),
    (Some("upgrade"), |second| &second.connect.upgrade),
    (Some("dialect"), |second| &second.connect.dialect),
    (Some("tls"), |second| &second.connect.tls),
];
const RECONNECT: [Part; 1] = [(None, |second| &second.reconnect)];

/// The report of `--json` in the folder of `--out`.
pub const REPORT: &str = "report.json";
/// Files that only some loads have: an earlier run's are removed, so that the records are of one run.
const OPTIONAL: [&str; 3] = [REPORT, "reconnect.hlog", "connections.tsv"];

/// Writes and removes test data, to find an unusable folder before the load.
pub fn prepare(folder: &Path) -> Result<(), String> {
    let files = vec![("summary.json", vec![0; 4096])];
    let written = write_partials(folder, &files);
    remove_partials(folder, &files);
    written
}

/// Writes all records and, if given, the report for `swarm compare`. All files are written under temporary names before
/// the first is renamed, so that each is whole or absent.
/// Errors: the file that could not be written, and why.
pub fn write(folder: &Path, done: &Done, report: Option<&serde_json::Value>) -> Result<(), String> {
    let mut files = compose(done)?;
    files.extend(report.map(|report| (REPORT, format!("{report:#}\n").into_bytes())));
    let of_before = OPTIONAL.iter().filter(|name| files.iter().all(|(written, _)| written != *name));
    let written = write_partials(folder, &files).and_then(|()| {
        of_before.for_each(|name| drop(std::fs::remove_file(folder.join(name))));
        files.iter().try_for_each(|(name, _)| {
            std::fs::rename(partial(folder, name), folder.join(name)).map_err(|error| explain(folder, name, &error))
        })
    });
    if written.is_err() {
        remove_partials(folder, &files);
    }
    written
}

type File = (&'static str, Vec<u8>);

fn write_partials(folder: &Path, files: &[File]) -> Result<(), String> {
    files.iter().try_for_each(|(name, bytes)| {
        std::fs::write(partial(folder, name), bytes).map_err(|error| explain(folder, name, &error))
    })
}

fn remove_partials(folder: &Path, files: &[File]) {
    files.iter().for_each(|(name, _)| drop(std::fs::remove_file(partial(folder, name))));
}

fn partial(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.tmp"))
}

fn explain(folder: &Path, name: &str, error: &io::Error) -> String {
    format!("--out: {}: {error}; choose a folder that can be written, with room", folder.join(name).display())
}

/// Names and contents of all files.
fn compose(done: &Done) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    let mut put = |name, bytes| files.push((name, bytes));
    put("intervals.tsv", intervals(&done.tally).into_bytes());
    // nothing falls due in the drain, but queued connections may still connect
    let Done { config, tally, start_wall_ns, .. } = done;
    let loaded = (config.load_s().ceil() as usize).min(tally.seconds.len());
    let connect = &CONNECT[..CONNECT.len() - usize::from(tally.tls.agreed.is_empty())];
    for (name, parts) in [("latency.hlog", &LATENCY[..]), ("service.hlog", &SERVICE), ("connect.hlog", connect)] {
        let seconds = if name == "connect.hlog" { &tally.seconds[..] } else { &tally.seconds[..loaded] };
        put(name, log(seconds, parts, *start_wall_ns)?);
    }
    if config.reconnect.is_some() {
        put("reconnect.hlog", log(&tally.seconds[..loaded], &RECONNECT, *start_wall_ns)?);
    }
    if config.record_connections {
        put("connections.tsv", spread::table(&tally.shares).into_bytes());
    }
    let summary = serde_json::to_string_pretty(&done.to_json()).map_err(|error| error.to_string())?;
    put("summary.json", format!("{summary}\n").into_bytes());
    Ok(files)
}

const COLUMNS: &str =
    "t_s\tconnected\tfailed\tdropped\tdue\tsent\treceived\twrong\tsent_b\treceived_b\tlate\tunasked\n";

/// intervals.tsv. A second stores the change in connections; the line has their number.
fn intervals(tally: &Tally) -> String {
    let mut connected = 0;
    let lines = tally.seconds.iter().enumerate().map(|(t_s, second)| {
        connected += second.row.connected;
        let Row { failed, dropped, due, sent, received, wrong, sent_b, received_b, late, unasked, .. } = second.row;
        let counts = format!("{failed}\t{dropped}\t{due}\t{sent}\t{received}\t{wrong}\t{sent_b}\t{received_b}");
        format!("{t_s}\t{connected}\t{counts}\t{late}\t{unasked}\n")
    });
    std::iter::once(COLUMNS.to_string()).chain(lines).collect()
}

/// An HdrHistogram log V2 with one interval per second and maxima in us.
fn log(seconds: &[Second], parts: &[Part], start_wall_ns: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.add_comment("[Histogram log format version 1.3]");
    builder.with_start_time(UNIX_EPOCH + Duration::from_nanos(start_wall_ns)).with_max_value_divisor(1.0);
    let mut writer = builder.begin_log_with(&mut bytes, &mut serializer).map_err(|error| error.to_string())?;
    for (t_s, second) in seconds.iter().enumerate() {
        for (tag, sketch) in parts {
            let tag = tag.and_then(Tag::new);
            let histogram = sketch(second).to_histogram();
            let written =
                writer.write_histogram(&histogram, Duration::from_secs(t_s as u64), Duration::from_secs(1), tag);
            written.map_err(|error| format!("a histogram: {error:?}"))?;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::NS_PER_S;
    use crate::tally::times::{Opened, Times, Timing};
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    fn tally() -> Tally {
        let mut tally = Tally::new(Timing { start_ns: 0, window_from_ns: 0, end_ns: 2 * NS_PER_S, late_ns: 1000 });
        let (called_ns, tcp_ns, upgraded_ns, up_ns) = (5, 1005, Some(2005), 3005);
        tally.opened(Opened { called_ns, tcp_ns, secured_ns: None, upgraded_ns, up_ns });
        tally.due(NS_PER_S);
        tally.sent(NS_PER_S, NS_PER_S, 20, false, 1);
        tally.answered(Times { intended_ns: NS_PER_S, actual_ns: NS_PER_S, received_ns: NS_PER_S + 42_000 }, 20, true);
        tally.fill(2 * NS_PER_S);
        tally
    }

    #[test]
    fn intervals_have_a_line_a_second_and_tell_how_many_are_connected() {
        let expected = format!("{COLUMNS}0\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n1\t1\t0\t0\t1\t1\t1\t0\t20\t20\t0\t0\n");
        assert_eq!(intervals(&tally()), expected);
    }

    #[test]
    fn a_log_has_an_interval_a_second_for_each_part() {
        let bytes = log(&tally().seconds, &CONNECT, 1_700_000_000 * NS_PER_S).unwrap();
        let entries: Vec<_> = IntervalLogIterator::new(&bytes).map(Result::unwrap).collect();
        let tags: Vec<_> = entries
            .iter()
            .filter_map(|entry| match entry {
                LogEntry::Interval(interval) => Some((interval.tag().map(|tag| tag.as_str()), interval.max())),
                _ => None,
            })
            .collect();
        assert_eq!(tags.len(), 10);
        assert_eq!(tags[..3], [(None, 3.0), (Some("tcp"), 1.0), (Some("upgrade"), 1.0)]);
    }
}
