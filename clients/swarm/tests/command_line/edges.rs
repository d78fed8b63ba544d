//! Where nothing can be written, where the system refuses, and what must not be repeated.

use super::support::{echo, serve};
use super::{output, swarm, text, Folder};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

const BRIEF: [&str; 7] = ["-c", "2", "-d", "1s", "--settle", "0s", "--quiet"];

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

/// A load of a second against an echo server.
fn brief(arguments: &[&str]) -> Command {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    swarm(&[&[&url[..]], &BRIEF[..], arguments].concat())
}

fn assert_ends(ended: &Output, code: i32, words: &str) {
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{told}");
    assert!(told.contains(words) && told.lines().count() <= 1, "{words}: {told}");
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let words = "error: swarm: standard output: No space left on device";
    assert_ends(&brief(&["--json"]).stdout(full()).output().unwrap(), 70, words);
    assert_ends(&brief(&[]).stdout(full()).output().unwrap(), 70, words);
    assert_ends(&swarm(&["--help"]).stdout(full()).output().unwrap(), 70, words);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error_and_an_error_without_a_reader_keeps_its_code() {
    let mut child = brief(&["--json"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_ends(&child.wait_with_output().unwrap(), 0, "");
    let ended = swarm(&["http://127.0.0.1:9"]).stderr(full()).output().unwrap();
    assert_eq!(ended.status.code(), Some(64));
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_the_load() {
    let ended = output(&["ws://127.0.0.1:9", "-d", "600s", "--out", "/proc/self"]);
    assert_ends(&ended, 70, "--out: /proc/self/summary.json: ");
    assert!(ended.stdout.is_empty());
}

#[test]
fn records_that_cannot_be_kept_cost_neither_the_report_nor_leave_pieces() {
    let out = Folder::new("unkept");
    std::fs::create_dir(out.0.join("summary.json")).unwrap();
    let ended = brief(&["--json", "--out", out.0.to_str().unwrap()]).output().unwrap();
    assert_ends(&ended, 70, "summary.json: ");
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("the report is printed all the same");
    assert_eq!(report["connections"]["opened"], 2);
    let left = std::fs::read_dir(&out.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.ends_with(".tmp")).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_password_is_not_repeated() {
    for arguments in [
        &["ws://user:secret@127.0.0.1:9"][..],
        &["ws://127.0.0.1:9", "ws://user:secret@127.0.0.1:9"],
        &["user:secret@127.0.0.1:9"],
        &["user:secret@127.0.0.1:9", "--quiet"],
    ] {
        let ended = output(arguments);
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(64), "{told}");
        assert!(told.contains("***@127.0.0.1:9") && !told.contains("secret"), "{told}");
    }
}

#[test]
fn a_header_that_is_refused_is_not_repeated() {
    for option in
        [&["-H", "BearerS3cret"][..], &["-HBearerS3cret"], &["--header=BearerS3cret"], &["--cookie", "\u{7f}S3cret"]]
    {
        let ended = output(&[&["ws://127.0.0.1:9"], option].concat());
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(64), "{told}");
        assert!(!told.contains("S3cret"), "{told}");
    }
}

/// Root has no limit of threads, so the program is run as somebody else.
#[test]
fn a_thread_that_is_refused_is_an_error_that_names_the_limit() {
    let folder = Folder::new("threads");
    let program = folder.0.join("swarm");
    // no copy: another test may fork while it is open for writing, and it could not be executed (ETXTBSY)
    std::fs::hard_link(env!("CARGO_BIN_EXE_swarm"), &program).unwrap();
    for path in [&folder.0, &program] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    for many in [["-t", "64"], ["--processes", "64"]] {
        let mut command = Command::new("prlimit");
        command.arg("--nproc=20").arg(&program).args([&url, "-c", "128", "-d", "1s", "--quiet"]).args(many);
        if rustix::process::getuid().is_root() {
            command.uid(54_321).gid(54_321).current_dir("/");
        }
        let ended = command.output().unwrap();
        assert_ends(&ended, 70, "was refused: Resource temporarily unavailable");
        assert_ends(&ended, 70, "limit of processes and threads (ulimit -u) is 20; use fewer --threads");
    }
}
