//! Reads the reports to compare, one or several runs of the same load.

use crate::report::records::REPORT;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// One report.
pub struct Run {
    pub path: PathBuf,
    pub report: Value,
}

/// Reads the reports at a path: a file, a folder of `--out`, or a folder of several of these.
/// Errors: `<where>: <what>; <next step>`.
pub fn read(path: &Path) -> Result<Vec<Run>, String> {
    let files = if path.is_dir() { list(path)? } else { vec![path.to_path_buf()] };
    if files.is_empty() {
        let place = path.display();
        return Err(format!("{place}: holds no report; put files there that swarm --json wrote, or folders of --out"));
    }
    files.into_iter().map(read_one).collect()
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let own = folder.join(REPORT);
    if own.is_file() {
        return Ok(vec![own]);
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}; make it readable", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let report_of = |path: PathBuf| if path.is_dir() { path.join(REPORT) } else { path };
    let is_json = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|extension| extension == "json");
    let mut found: Vec<PathBuf> = paths.map(report_of).filter(is_json).collect();
    found.sort();
    Ok(found)
}

fn read_one(path: PathBuf) -> Result<Run, String> {
    let place = path.display();
    let text =
        fs::read_to_string(&path).map_err(|error| format!("{place}: {error}; give a file that swarm --json wrote"))?;
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let is_report = report["client"] == "swarm" && report["load"].is_object();
    if !is_report {
        return Err(format!("{place}: no report of swarm; write one with: swarm URL --json > {place}"));
    }
    Ok(Run { path, report })
}
