//! Servers and proxies that refuse, redirect, attack, or speak what is too old: one error each, with the next step.

use super::support::{frame, serve, serve_secured, Echo, Peer};
use super::{output, text, Folder};
use flate2::{Compress, Compression, FlushCompress};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::version::TLS13;
use rustls::{ServerConfig, SupportedProtocolVersion, ALL_VERSIONS};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;

/// A small load with these options ends with 1 and one line, which has these words.
fn expect(url: &str, options: &[&str], words: &[&str]) {
    let load = ["-c", "2", "-r", "20", "-d", "1s", "--settle", "0s", "--drain", "0.2"];
    let ended = output(&[&[url][..], &load, options].concat());
    let error = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{error}");
    assert!(error.starts_with("error: swarm: ") && error.lines().count() == 1, "{error}");
    words.iter().for_each(|words| assert!(error.contains(words), "{words}: {error}"));
}

fn at(port: u16) -> String {
    format!("ws://127.0.0.1:{port}")
}

#[test]
fn a_refusal_says_what_would_help() {
    let cases = [
        (
            "HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n",
            "HTTP 301 Moved, Location: /there); write the URL that Location names",
        ),
        ("HTTP/1.1 401 Unauthorized\r\n\r\n", "HTTP 401 Unauthorized); log in as the service asks"),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP 403 Forbidden); log in, or say where you come from"),
        ("HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\n\r\n", "Retry-After: 7); come more slowly (--connect-rate"),
        ("HTTP/1.1 200 OK\r\n\r\n", "HTTP 200 OK); see that a server at ws://127.0.0.1:"),
    ];
    std::thread::scope(|scope| {
        for (response, words) in cases {
            scope.spawn(move || expect(&at(serve(move |mut peer: Peer| peer.refuse(response))), &[], &[words]));
        }
    });
}

#[test]
fn what_a_server_repeats_of_a_secret_is_masked() {
    let folder = Folder::new("secrets");
    let token = folder.0.join("token");
    std::fs::write(&token, "a-token-of-mine").unwrap();
    let port = serve(|mut peer: Peer| {
        let head = peer.read_head().unwrap();
        assert!(head.contains("Bearer a-token-of-mine") && head.contains("access_token=of-the-query"), "{head}");
        let reason = "HTTP/1.1 401 No a-token-of-mine, of-the-cookie, dXNlcjpwYXNzdw==";
        peer.write(
            format!("{reason}\r\nLocation: /?a-token-of-mine,of-the-query/1,of-the-query%2F1\r\n\r\n").as_bytes(),
        );
    });
    let url = format!("{}/?access_token=of-the-query%2F1", at(port));
    for output_as in ["--quiet", "--json"] {
        let cookie =
            ["--cookie", "session=of-the-cookie", "-H", "X-Api-Key: Basic dXNlcjpwYXNzdw==", "-H", "X-Session: HTTP"];
        let given = [&url, "-c", "1", "-r", "20", "-d", "1s", "--bearer-file", token.to_str().unwrap(), output_as];
        let ended = output(&[&given[..], &cookie].concat());
        let told = text(&ended.stdout) + &text(&ended.stderr);
        assert!(told.contains("HTTP 401 No ***, ***, ***") && told.contains("/?***,***,***"), "{told}");
        assert!(told.contains("log in as the service asks"), "{told}");
        for secret in ["a-token-of-mine", "of-the-query", "of-the-cookie", "dXNlcjpwYXNzdw"] {
            assert!(!told.contains(secret), "{secret}: {told}");
        }
    }
}

#[test]
fn refusals_of_one_status_are_one_line_however_they_differ() {
    let count = Arc::new(AtomicUsize::new(0));
    let port = serve(move |mut peer: Peer| {
        let number = count.fetch_add(1, Relaxed);
        peer.refuse(&format!("HTTP/1.1 302 Found\r\nLocation: /login/{number}\r\n\r\n"));
    });
    let told = text(&output(&[&at(port), "-c", "20", "-r", "20", "-d", "1s"]).stdout);
    let lines: Vec<_> = told.lines().filter(|line| line.contains("HTTP 302")).collect();
    assert_eq!(lines.len(), 2, "a count with the first addresses, and an error: {told}");
    assert!(lines[0].starts_with("upgrades     refused: 20 x HTTP 302, Location: /login/"), "{told}");
}

#[test]
fn a_proxy_that_wants_a_login_is_told() {
    let proxy = serve(|mut peer: Peer| peer.refuse("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    let words = "HTTP 407 Proxy Authentication Required); use a proxy that asks for no login";
    expect("ws://127.0.0.1:9", &["--proxy", &format!("http://127.0.0.1:{proxy}")], &[words]);
}

#[test]
fn tls_that_is_too_old_and_no_tls_at_all_are_told() {
    let old = serve(|mut peer: Peer| {
        peer.write(b"\x15\x03\x02\x00\x02\x02\x46"); // of TLS 1.1: fatal, protocol_version (RFC 5246, section 7.2)
        peer.wait_for_end();
    });
    expect(&format!("wss://127.0.0.1:{old}"), &["--insecure"], &["); let the server speak TLS 1.2 or 1.3"]);
    let none = serve(|mut peer: Peer| {
        peer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        peer.wait_for_end();
    });
    expect(&format!("wss://127.0.0.1:{none}"), &["--insecure"], &["TLS: ", "over TLS (or write ws://)"]);
    let secured = serve(|mut peer: Peer| {
        peer.read_head();
        peer.write(b"\x15\x03\x01\x00\x02\x02\x46");
    });
    expect(&at(secured), &[], &["not HTTP", "without TLS (or write wss://)"]);
    let folder = Folder::new("versions");
    let (config, ca) = make_server(&folder, "127.0.0.1", 2999, &[&TLS13]);
    let newer = serve_secured(config, |peer| Echo::default().serve(peer));
    let options = ["--ca", &ca, "--tls-version", "1.2"];
    expect(&format!("wss://127.0.0.1:{newer}"), &options, &["); let the server speak TLS 1.2 or 1.3"]);
}

/// Of an authority of its own, with a name, and a last year.
fn make_server(
    folder: &Folder,
    name: &str,
    year: i32,
    versions: &[&'static SupportedProtocolVersion],
) -> (Arc<ServerConfig>, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.into()]).unwrap();
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let certificate = params.self_signed(&key).unwrap();
    let ca = folder.0.join(format!("{name}-{year}.pem"));
    std::fs::write(&ca, certificate.pem()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_protocol_versions(versions).unwrap().with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    (Arc::new(config), ca.display().to_string())
}

#[test]
fn a_certificate_that_is_over_or_of_another_name_is_told() {
    let folder = Folder::new("hostile");
    for (name, year, words) in [
        ("127.0.0.1", 2020, "); renew the server's certificate, set this host's clock"),
        ("elsewhere", 2999, "); use a name that the certificate has in the URL"),
    ] {
        let (config, ca) = make_server(&folder, name, year, ALL_VERSIONS);
        let port = serve_secured(config, |peer| Echo::default().serve(peer));
        expect(&format!("wss://127.0.0.1:{port}"), &["--ca", &ca], &["invalid peer certificate", words]);
    }
}

#[test]
fn compressed_frames_without_agreement_are_the_servers_fault() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        peer.write(b"\xc1\x03\x4a\x04\x00");
        peer.wait_for_end();
    });
    expect(&at(port), &[], &["reserved bits are set that were not agreed on); the fault is the server's"]);
}

/// So many zeros, as one compressed message: a thousandth of it.
fn bomb(mib: usize) -> Vec<u8> {
    let mut by = Compress::new(Compression::best(), false);
    let (zeros, mut out) = (vec![0; 1 << 20], Vec::with_capacity((mib << 11) + 1024));
    for _ in 0..mib {
        by.compress_vec(&zeros, &mut out, FlushCompress::None).unwrap();
    }
    by.compress_vec(&[], &mut out, FlushCompress::Sync).unwrap();
    out.truncate(out.len() - 4); // RFC 7692, section 7.2.1
    out
}

#[test]
fn a_message_that_swells_without_end_is_refused() {
    let message = Arc::new(frame(0xc1, &bomb(256)));
    let port = serve(move |mut peer: Peer| {
        peer.upgrade_saying("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        peer.write(&message);
        peer.wait_for_end();
    });
    expect(&at(port), &["--deflate"], &["swarm takes no message of more than ", "; let the service send shorter ones"]);
}
