//! The commit that `swarm --version` names.

use std::process::Command;

/// What swarm is built of. A commit of anything else does not build it anew.
const SOURCES: [&str; 4] = ["src", "Cargo.toml", "Cargo.lock", "build.rs"];

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_string())
}

/// What git says of the sources.
fn git_of_sources(arguments: &[&str]) -> Option<String> {
    git(&[arguments, &["--"], &SOURCES].concat()).filter(|text| !text.is_empty())
}

fn main() {
    SOURCES.iter().for_each(|source| println!("cargo:rerun-if-changed={source}"));
    let commit = git_of_sources(&["log", "-1", "--format=%h", "--abbrev=12"]);
    let is_changed = git_of_sources(&["status", "--porcelain"]).is_some();
    if let (true, Some(log)) = (is_changed, git(&["rev-parse", "--git-path", "logs/HEAD"])) {
        println!("cargo:rerun-if-changed={log}"); // the next commit may be the one of these changes
    }
    let suffix = if is_changed { " with changes" } else { "" };
    println!("cargo:rustc-env=SWARM_COMMIT={}{suffix}", commit.as_deref().unwrap_or("unknown"));
}
