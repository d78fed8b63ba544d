//! Ports of the client's host: over a link between two network namespaces, as loopback uses those in TIME_WAIT again.

use super::support::{serve_at, Echo};
use super::text;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::{Command, Output};
use std::time::Duration;

/// Two namespaces with a link between them, removed with the test.
struct Link([String; 2]);

const SERVER: &str = "10.213.77.1";
const CLIENT: &str = "10.213.77.2";

fn ip(line: &str) -> bool {
    Command::new("ip").args(line.split(' ')).output().is_ok_and(|ended| ended.status.success())
}

impl Link {
    /// `None` where the system does not let it: it takes root.
    fn new(name: &str) -> Option<Self> {
        let link = Self(["s", "c"].map(|end| format!("sw{}{name}{end}", std::process::id())));
        let [server, client] = &link.0;
        let steps = [
            format!("netns add {server}"),
            format!("netns add {client}"),
            format!("link add v0 netns {server} type veth peer name v1 netns {client}"),
            format!("-n {server} addr add {SERVER}/24 dev v0"),
            format!("-n {client} addr add {CLIENT}/24 dev v1"),
            format!("-n {server} link set v0 up"),
            format!("-n {client} link set v1 up"),
            format!("netns exec {client} sysctl -qw net.ipv4.ip_local_port_range=40000\t40039"),
        ];
        steps.iter().all(|step| ip(step)).then_some(link)
    }

    /// A server that closes as RFC 6455 has it: it answers the close, and ends TCP a moment later.
    fn serve(&self) -> u16 {
        let place = format!("/run/netns/{}", self.0[0]);
        let enter_and_serve = move || {
            let namespace = File::open(place).unwrap();
            // SAFETY: a system call that takes two integers, and changes this thread alone, which ends
            assert_eq!(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) }, 0);
            serve_at(SERVER, |mut peer| {
                peer.upgrade();
                Echo::default().serve_open_to_close(&mut peer);
                peer.write(b"\x88\x02\x03\xe8");
                std::thread::sleep(Duration::from_millis(50));
            })
        };
        std::thread::spawn(enter_and_serve).join().unwrap()
    }

    fn swarm(&self, port: u16, arguments: &[&str]) -> Output {
        let url = format!("ws://{SERVER}:{port}");
        Command::new("ip")
            .args(["netns", "exec", &self.0[1], env!("CARGO_BIN_EXE_swarm"), &url, "--settle", "0s", "--json"])
            .args(arguments)
            .output()
            .unwrap()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        for name in &self.0 {
            ip(&format!("netns del {name}"));
        }
    }
}

/// Skipped, with a word, where it is not root.
fn link(name: &str) -> Option<Link> {
    let link = Link::new(name);
    if link.is_none() {
        eprintln!("skipped: network namespaces take root and iproute2");
    }
    link
}

fn report(ended: &Output) -> serde_json::Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|_| panic!("{}", text(&ended.stderr)))
}

#[test]
fn a_second_run_finds_the_ports_of_the_first_free() {
    let Some(link) = link("a") else { return };
    let port = link.serve();
    for _ in 0..2 {
        let ended = link.swarm(port, &["-c", "36", "-r", "20", "-d", "1s"]);
        assert_eq!(report(&ended)["connections"]["opened"], 36, "{}", text(&ended.stderr));
    }
}

#[test]
fn connections_that_churn_use_their_ports_again() {
    let Some(link) = link("b") else { return };
    let ended = link.swarm(link.serve(), &["-c", "20", "-r", "5", "--churn", "40", "-d", "4s"]);
    let connections = &report(&ended)["connections"];
    assert_eq!((&connections["failed_local"], &connections["dropped_local"]), (&0.into(), &0.into()), "{connections}");
    assert!(connections["churned"].as_u64() > Some(40), "more than there are ports: {connections}");
    assert!(ended.status.success(), "{}", text(&ended.stderr));
}

#[test]
fn where_ports_run_out_more_addresses_are_advised() {
    let Some(link) = link("c") else { return };
    let ended = link.swarm(link.serve(), &["-c", "60", "-r", "5", "-d", "1s", "--connect-rate", "100"]);
    let warnings = report(&ended)["warnings"].to_string();
    assert!(warnings.contains("--local") && !warnings.contains("--threads"), "{warnings}");
}

#[test]
fn a_host_without_ipv6_leaves_a_server_that_is_down_to_blame() {
    let Some(link) = link("d") else { return };
    let client = &link.0[1];
    assert!(ip(&format!("-n {client} link set lo up")));
    assert!(ip(&format!("netns exec {client} sysctl -qw net.ipv6.conf.all.disable_ipv6=1")));
    let ended = Command::new("ip")
        .args([
            "netns",
            "exec",
            client,
            env!("CARGO_BIN_EXE_swarm"),
            "ws://localhost:9",
            "-c",
            "2",
            "-d",
            "1s",
            "--json",
        ])
        .output()
        .unwrap();
    let connections = &report(&ended)["connections"];
    assert_eq!(
        (&connections["failed_local"], &connections["refused"]),
        (&0.into(), &2.into()),
        "{}",
        text(&ended.stderr)
    );
}
