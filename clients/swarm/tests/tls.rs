//! TLS: what is agreed on, who is trusted, and that nothing is lost on the way.

mod support;

use rcgen::{CertificateParams, CertifiedIssuer, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use support::{
    echo, load, make_load, run_until_answered, run_with, serve, serve_dribbling, serve_ending, serve_secured, Echo,
    Peer, Run,
};
use swarm::arrivals::Process;
use swarm::config::{Config, Reconnect};
use swarm::message::payload::Size;
use swarm::tls::options::{Tls, Version};

/// An authority of this test, and files of what it signed.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(folder.join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn issuer(&self) -> &Issuer<'static, KeyPair> {
        &self.issuer
    }

    fn sign(&self, name: &str) -> (CertificateDer<'static>, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.into()]).unwrap().signed_by(&key, self.issuer()).unwrap();
        std::fs::write(self.file("own.pem"), certificate.pem()).unwrap();
        std::fs::write(self.file("own.key"), key.serialize_pem()).unwrap();
        (certificate.der().clone(), key)
    }

    fn server(&self, versions: &[&'static SupportedProtocolVersion], asks_clients: bool) -> Arc<ServerConfig> {
        let (certificate, key) = self.sign("127.0.0.1");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(versions).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let builder = match asks_clients {
            true => builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap(),
            ),
            false => builder.with_no_client_auth(),
        };
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Arc::new(config)
    }

    fn tls(&self) -> Tls {
        Tls { ca: Some(self.file("ca.pem")), ..Tls::default() }
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

const ANY: &[&SupportedProtocolVersion] = rustls::ALL_VERSIONS;

fn secured(port: u16, tls: Tls) -> impl FnOnce(&mut Config) {
    move |config| {
        config.url = format!("wss://127.0.0.1:{port}");
        config.tls = tls;
    }
}

fn run(port: u16, tls: Tls) -> Run {
    run_until_answered(5, port, secured(port, tls))
}

/// A load to which no connection comes.
fn run_in_vain(port: u16, tls: Tls) -> Run {
    let load = make_load(port, secured(port, tls));
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!(tally.connections.opened, 0);
    Run { tally }
}

fn agreed(run: &Run) -> String {
    run.tally.tls.agreed.keys().cloned().collect::<Vec<_>>().join(", ")
}

#[test]
fn both_versions_are_spoken_and_told() {
    let authority = Authority::new("versions");
    for (version, words) in [(Version::Tls12, "TLS 1.2"), (Version::Tls13, "TLS 1.3")] {
        let run =
            run(serve_secured(authority.server(ANY, false), echo), Tls { version: Some(version), ..authority.tls() });
        assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
        assert!(agreed(&run).starts_with(words), "{}", agreed(&run));
    }
}

#[test]
fn a_server_of_another_version_is_told() {
    let authority = Authority::new("other");
    let port = serve_secured(authority.server(&[&rustls::version::TLS12], false), echo);
    let run = run_in_vain(port, Tls { version: Some(Version::Tls13), ..authority.tls() });
    assert!(run.errors().contains("TLS: received fatal alert: ProtocolVersion"), "{}", run.errors());
}

#[test]
fn an_unknown_authority_is_refused_unless_anyone_is_believed() {
    let authority = Authority::new("unknown");
    let port = serve_secured(authority.server(ANY, false), echo);
    let run_to = run_in_vain(port, Tls { ca: Some(Authority::new("stranger").file("ca.pem")), ..Tls::default() });
    assert!(run_to.errors().contains("TLS: invalid peer certificate"), "{}", run_to.errors());
    assert_eq!(run(port, Tls { insecure: true, ..Tls::default() }).missing(), 0);
}

#[test]
fn another_name_than_the_certificate_has_is_refused() {
    let authority = Authority::new("name");
    let port = serve_secured(authority.server(ANY, false), echo);
    let run = run_in_vain(port, Tls { server_name: Some("other.example".into()), ..authority.tls() });
    assert!(run.errors().contains("not valid for name"), "{}", run.errors());
}

#[test]
fn a_client_shows_its_own_certificate() {
    let authority = Authority::new("client");
    let port = serve_secured(authority.server(ANY, true), echo);
    authority.sign("client");
    let tls = Tls { cert: Some(authority.file("own.pem")), key: Some(authority.file("own.key")), ..authority.tls() };
    assert_eq!(run(port, tls).missing(), 0);
    let run = run_in_vain(port, authority.tls());
    assert!(run.errors().contains("TLS: received fatal alert"), "{}", run.errors());
}

#[test]
fn sessions_are_resumed_where_the_load_asks_for_it_and_only_there() {
    let authority = Authority::new("resume");
    for (version, resume) in [(Version::Tls12, true), (Version::Tls13, true), (Version::Tls13, false)] {
        let port = serve_secured(authority.server(ANY, false), echo);
        let tls = Tls { version: Some(version), resume, ..authority.tls() };
        let run = run_until_answered(20, port, |config| {
            secured(port, tls)(config);
            (config.connections, config.connect_rate_hz) = (4, 10.0);
        });
        assert_eq!(run.tally.tls.resumed > 0, resume, "{version:?}: {:?}", run.tally.tls);
    }
}

#[test]
fn all_that_come_back_from_a_drop_together_resume_their_sessions() {
    const COUNT: u32 = 20;
    let authority = Authority::new("storm");
    let (accepted, all) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(COUNT as usize)));
    let port = serve_secured(authority.server(ANY, false), move |mut peer: Peer| {
        if accepted.fetch_add(1, Relaxed) >= COUNT {
            return echo(peer);
        }
        peer.upgrade();
        peer.read_frame();
        all.wait();
    });
    let tls = Tls { resume: true, ..authority.tls() };
    let run = run_with(port, |config| {
        secured(port, tls)(config);
        (config.connections, config.connect_rate_hz) = (COUNT, 10_000.0);
        config.reconnect = Some(Reconnect { delay_ms: 50.0, jitter_ms: 0.0, factor: 1.0, max_ms: 1e7 });
    });
    let connections = run.tally.connections;
    assert_eq!((connections.opened, connections.reconnected), (2 * u64::from(COUNT), COUNT.into()), "{}", run.errors());
    assert!(run.tally.tls.resumed >= COUNT.into(), "{:?}", run.tally.tls);
}

#[test]
fn a_close_frame_with_the_end_of_tls_behind_it_ends_the_connection_at_once() {
    let authority = Authority::new("ending");
    let port = serve_ending(authority.server(ANY, false), echo);
    let tls = authority.tls();
    let run = run_with(port, |config| {
        secured(port, tls)(config);
        (config.connections, config.churn_hz, config.hold_s) = (1, 4.0, 4.0);
        config.arrivals = Process::Constant { period_ms: 50.0 };
    });
    let window = run.tally.window;
    assert!(run.tally.connections.churned >= 4, "{:?}", run.tally.connections);
    assert!(2 * window.unsent_remote < window.due, "none waits a second for what has come: {window:?}");
}

#[test]
fn long_messages_in_odd_pieces_come_back_whole() {
    let authority = Authority::new("long");
    let server = Echo { bytes_a_write: 5_000, fragment_b: 70_001, pings: true, ..Echo::default() };
    let port = serve_secured(authority.server(ANY, false), move |peer| server.serve(peer));
    let tls = authority.tls();
    let run = run_until_answered(3, port, |config| {
        secured(port, tls)(config);
        config.payload.bytes = Size::Fixed(3_000_000);
    });
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
}

#[test]
fn a_server_that_stops_reading_for_a_while_gets_everything_in_order() {
    let authority = Authority::new("pause");
    let server = Echo { pause_ms: 300, ..Echo::default() };
    let port = serve_secured(authority.server(ANY, false), move |peer| server.serve(peer));
    let tls = authority.tls();
    let run = run_until_answered(100, port, |config| {
        secured(port, tls)(config);
        config.payload.bytes = Size::Fixed(200_000);
        config.arrivals = serde_json::from_value(serde_json::json!({"kind": "constant", "period_ms": 4.0})).unwrap();
    });
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
}

#[test]
fn records_in_pieces_are_put_together() {
    let authority = Authority::new("pieces");
    for version in [Version::Tls12, Version::Tls13] {
        let port = serve_dribbling(authority.server(ANY, false), echo);
        let run = run(port, Tls { version: Some(version), resume: true, ..authority.tls() });
        assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
    }
}

#[test]
fn bytes_without_websocket_go_over_tls_too() {
    let authority = Authority::new("bytes");
    let port = serve_secured(authority.server(ANY, false), Peer::echo_bytes);
    let tls = authority.tls();
    let run = run_until_answered(5, port, |config| {
        secured(port, tls)(config);
        (config.url, config.dialect) = (format!("tls://127.0.0.1:{port}"), "tcp".into());
    });
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
}

#[test]
fn what_is_no_tls_is_told() {
    let port = serve(|mut peer: Peer| {
        peer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        peer.wait_for_end();
    });
    let run = run_in_vain(port, Tls { insecure: true, ..Tls::default() });
    assert!(run.errors().contains("TLS: received corrupt message"), "{}", run.errors());
}

#[test]
fn garbage_in_the_middle_ends_the_connection_and_is_told() {
    let authority = Authority::new("garbage");
    let port = serve_secured(authority.server(ANY, false), |mut peer: Peer| {
        peer.upgrade();
        peer.read_frame();
        peer.write_below(b"\x17\x03\x03\x00\x20garbage garbage garbage garbage!");
        peer.wait_for_end();
    });
    let load = make_load(port, secured(port, authority.tls()));
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    let errors = format!("{:?}", tally.errors);
    assert!(tally.connections.dropped_remote == 1 && errors.contains("TLS: cannot decrypt"), "{errors}");
}

#[test]
fn a_server_that_says_nothing_is_given_up_in_time() {
    let port = serve(|mut peer: Peer| peer.wait_for_end());
    let load = make_load(port, |config| {
        secured(port, Tls { insecure: true, ..Tls::default() })(config);
        config.connect_timeout_s = 0.1;
    });
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!(tally.connections.timed_out, 1);
}

#[test]
fn the_contract_names_version_and_authority_alone() {
    let authority = Authority::new("contract");
    let file = authority.file("client.json");
    let mut config = serde_json::to_value(load(9)).unwrap();
    let of_contract = serde_json::json!({"url": "wss://127.0.0.1:9", "tls": "1.2", "ca": authority.file("ca.pem")});
    config.as_object_mut().unwrap().extend(of_contract.as_object().unwrap().clone());
    std::fs::write(&file, config.to_string()).unwrap();
    let read = Config::read(&file).unwrap();
    assert_eq!(read.tls, Tls { version: Some(Version::Tls12), ..authority.tls() });
}

#[test]
fn options_of_tls_without_tls_are_refused() {
    let config = Config { tls: Tls { insecure: true, ..Tls::default() }, ..load(9) };
    assert!(config.problems()[0].starts_with("tls: nothing is secured at ws://"), "{:?}", config.problems());
    let missing = Tls { ca: Some("/nowhere.pem".into()), ..Tls::default() };
    let config = Config { url: "wss://127.0.0.1:9".into(), tls: missing, ..load(9) };
    assert!(config.problems()[0].starts_with("tls.ca \"/nowhere.pem\": "), "{:?}", config.problems());
}
