//! The commit that `swarm --version` names.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_string())
}

fn main() {
    // not by each commit of the whole tree: what has not changed here is not built anew
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.toml");
    let commit = git(&["log", "-1", "--format=%h", "--abbrev=12", "--", "."]).filter(|commit| !commit.is_empty());
    let is_changed = git(&["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock"])
        .is_some_and(|changed| !changed.is_empty());
    let suffix = if is_changed { " with changes" } else { "" };
    println!("cargo:rustc-env=SWARM_COMMIT={}{suffix}", commit.as_deref().unwrap_or("unknown"));
}
