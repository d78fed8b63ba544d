use super::*;
use crate::message::own::Own;
use crate::message::payload::Spec;

fn config() -> Config {
    serde_json::from_value(serde_json::json!({
        "url": "ws://127.0.0.1:9", "behaviour": "echo", "processes": 1, "connections": 10, "connect_rate_hz": 10.0,
        "warmup_s": 0, "ramp_s": 1, "settle_s": 0, "hold_s": 1, "arrivals": {"kind": "poisson", "rate_hz_per_connection": 1.0},
        "payload": {"type": "text", "bytes": 20}, "seed": 1, "late_ms": 1, "drain_s": 1
    }))
    .unwrap()
}

#[test]
fn a_right_configuration_has_no_problems() {
    assert_eq!(config().problems(), Vec::<String>::new());
}

#[test]
fn all_that_is_wrong_is_told_at_once_with_its_value() {
    let wrong = Config { connections: 0, connect_rate_hz: -1.0, connect_phase: 1.0, late_ms: -2.0, ..config() };
    let problems = wrong.problems();
    for word in ["connections is 0", "connect_rate_hz is -1", "connect_phase is 1", "late_ms is -2"] {
        assert!(problems.iter().any(|problem| problem.contains(word)), "{word}: {problems:?}");
    }
}

#[test]
fn a_share_of_slow_readers_that_is_no_connection_is_refused() {
    let slow =
        |stop_reading| Config { client: Client { stop_reading, ..Client::default() }, connections: 4, ..config() };
    assert_eq!(slow(0.25).problems(), Vec::<String>::new());
    let told = "client.stop_reading is 0.1, none of 4 connections; raise it, or open more";
    assert!(slow(0.1).problems().iter().any(|problem| problem.contains(told)), "{:?}", slow(0.1).problems());
}

#[test]
fn every_time_has_a_greatest_value_and_beyond_it_is_refused_with_the_range() {
    let edge = Config { drain_s: MOST_S, late_ms: MOST, coalesce_us: MOST, connect_timeout_s: MOST, ..config() };
    assert_eq!(edge.problems(), Vec::<String>::new());
    let beyond = Config {
        warmup_s: 1e8,
        ramp_s: u32::MAX,
        settle_s: u32::MAX,
        hold_s: f64::INFINITY,
        drain_s: f64::NAN,
        late_ms: f64::INFINITY,
        coalesce_us: -1.0,
        connect_timeout_s: 1e8,
        threads: u32::MAX,
        processes: u32::MAX,
        churn_hz: 1e8,
        ..config()
    };
    let problems = beyond.problems();
    for (words, range) in [
        ("warmup_s is 100000000", "from 0 to 10000000"),
        ("ramp_s is 4294967295", "10000000 at most"),
        ("settle_s is 4294967295", "10000000 at most"),
        ("hold_s is inf", "10000000 at most"),
        ("drain_s is NaN", "from 0 to 10000000"),
        ("late_ms is inf", "from 0 to 10000000"),
        ("coalesce_us is -1", "from 0 to 10000000"),
        ("connect_timeout_s is 100000000", "10000000 at most"),
        ("threads is 4294967295", "from 1 to 1024"),
        ("processes is 4294967295", "from 1 to 1024"),
        ("churn_hz is 100000000", "from 0 to 10000000"),
    ] {
        let is_told = problems.iter().any(|problem| problem.starts_with(words) && problem.contains(range));
        assert!(is_told, "{words}: {problems:?}");
    }
}

#[test]
fn to_reconnect_without_a_pause_is_refused() {
    let reconnect = Some(Reconnect { delay_ms: 0.0, jitter_ms: -1.0, factor: 1.0, max_ms: 10.0 });
    let problems = Config { reconnect, ..config() }.problems();
    assert!(problems[0].contains("reconnect.delay_ms is 0") && problems[1].contains("reconnect.jitter_ms is -1"));
}

#[test]
fn probes_without_answers_or_by_several_processes_are_refused() {
    assert_eq!(Config { probes: true, ..config() }.problems(), Vec::<String>::new());
    let problems = Config { probes: true, processes: 2, behaviour: Behaviour::Idle, ..config() }.problems();
    assert!(problems[0].contains("processes is 2") && problems[1].contains("no answers"), "{problems:?}");
}

#[test]
fn local_addresses_of_another_family_than_the_server_are_refused() {
    let local_addresses = vec!["::1".parse().unwrap()];
    let problems = Config { local_addresses, ..config() }.problems();
    assert!(problems[0].starts_with("local_addresses [::1] are of another family than url"), "{problems:?}");
}

#[test]
fn a_ramp_that_is_too_slow_is_refused() {
    assert!(Config { connect_rate_hz: 1.0, ..config() }.problems()[0].contains("raise connect_rate_hz"));
}

#[test]
fn more_connections_than_descriptors_are_refused() {
    let config = Config { connections: u32::MAX, connect_rate_hz: 1e12, ..config() };
    assert!(config.problems().iter().any(|problem| problem.contains("descriptors")), "{:?}", config.problems());
}

#[test]
fn more_processes_are_advised_where_they_help_and_only_there() {
    let problem =
        |connections, processes, limit| Config { connections, processes, ..config() }.descriptor_problem(limit);
    assert_eq!(problem(29, 1, 64), None);
    let few = problem(400, 1, 64).unwrap();
    assert!(few.contains("need 435 descriptors") && few.contains("(ulimit -Hn) is 64;"), "{few}");
    assert!(few.contains("set processes to 14, or raise it as root: ulimit -n 435"), "{few}");
    assert_eq!(problem(400, 14, 64), None, "the advice is enough");
    let many = problem(1000, 1, 64).unwrap();
    assert!(!many.contains("processes to"), "35 processes need 102 descriptors for their pipes: {many}");
    assert!(problem(1000, 35, 64).unwrap().contains("need 102 descriptors"));
    assert!(!problem(10, 1, 20).unwrap().contains("processes to"));
}

#[test]
fn the_rate_of_a_connection_has_a_bound() {
    let problems = |rate_hz| Config { arrivals: Process::Poisson { rate_hz }, ..config() }.problems();
    assert_eq!(problems(1e6), Vec::<String>::new());
    assert!(problems(1e8)[0].starts_with("arrivals.rate_hz_per_connection is 100000000; set it to a number from"));
    let even = |period_ms| Config { arrivals: Process::Constant { period_ms }, ..config() }.problems();
    [1e-3, 1e8].into_iter().for_each(|period_ms| assert_eq!(even(period_ms), Vec::<String>::new()));
    assert!(
        even(1e-6)[0].starts_with("arrivals.period_ms is 0.000001; set it to a number from 0.001"),
        "{:?}",
        even(1e-6)
    );
}

#[test]
fn what_is_held_back_until_it_is_late_is_refused_where_messages_have_a_time() {
    let held = Config { coalesce_us: 3000.0, late_ms: 1.0, ..config() };
    assert!(held.problems()[0].starts_with("coalesce_us is 3000, more than 1 ms, after which a send is late"));
    assert_eq!(Config { late_ms: 3.0, ..held.clone() }.problems(), Vec::<String>::new());
    assert_eq!(Config { arrivals: Process::Closed { outstanding: 1 }, ..held }.problems(), Vec::<String>::new());
}

#[test]
fn each_thread_has_a_turn_to_connect() {
    let config = Config { threads: 4, max_connecting: 3, ..config() };
    assert!(config.problems()[0].starts_with("max_connecting is 3, for 4 threads in all"), "{:?}", config.problems());
    assert_eq!(
        Config { connections: 3, ..config }.problems(),
        Vec::<String>::new(),
        "no thread without one has a connection"
    );
}

#[test]
fn headers_are_refused_where_no_request_is_sent() {
    let headers = vec![("X-Tenant".to_string(), "7".to_string())];
    let request = Request { headers, ..Request::default() };
    let config = Config { url: "tcp://127.0.0.1:9".into(), dialect: "tcp".into(), request, ..config() };
    assert!(config.problems()[0].starts_with("request: tcp:// and tls:// send none"), "{:?}", config.problems());
    assert_eq!(Config { request: Request::default(), ..config }.problems(), Vec::<String>::new());
}

#[test]
fn acknowledgements_are_of_socket_io_alone() {
    let problems = |dialect: &str| {
        let messages = Some(Own { answer: Some(ACK.into()), ..Own::default() });
        let config = Config { dialect: dialect.into(), behaviour: Behaviour::Own, messages, ..config() };
        config.problems().join(" | ")
    };
    assert!(problems("websocket").contains("messages.answer: websocket has no acknowledgements; give the JSON pointer"));
    assert!(!problems("socket.io-5").contains("acknowledgements"));
}

#[test]
fn a_dialect_that_cannot_carry_the_load_is_refused() {
    let payload = Spec { kind: Type::Binary, bytes: Size::Fixed(20) };
    let config = Config { dialect: "socketcluster-14".into(), payload, ..config() };
    assert!(config.problems()[0].contains("use text"));
    assert!(Config { dialect: "carrier pigeon".into(), ..config }.problems()[0].contains("unknown"));
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let open = Process::Constant { period_ms: 100.0 };
    let most = |arrivals, behaviour| Config { max_outstanding: 4, arrivals, behaviour, ..config() }.problems();
    assert_eq!(most(open.clone(), Behaviour::Echo), Vec::<String>::new());
    let told = "max_outstanding: only in an open loop whose messages are answered does one wait; leave it out";
    for (arrivals, behaviour) in [
        (Process::Closed { outstanding: 1 }, Behaviour::Echo),
        (open.clone(), Behaviour::Broadcast),
        (open, Behaviour::Idle),
    ] {
        let problems = most(arrivals, behaviour);
        assert!(problems.iter().any(|problem| problem == told), "{behaviour:?}: {problems:?}");
    }
    let client = Client { close_code: 1001, ..Client::default() };
    let tcp = |client| Config { url: "tcp://127.0.0.1:9".into(), dialect: "tcp".into(), client, ..config() }.problems();
    assert_eq!(tcp(Client::default()), Vec::<String>::new());
    assert_eq!(tcp(client), ["client.close_code: tcp:// has no close frames; use ws://"]);
}

#[test]
fn a_file_of_data_is_of_use_to_something_and_a_place_has_a_file() {
    let file = std::env::temp_dir().join(format!("swarm-users-{}.csv", std::process::id()));
    std::fs::write(&file, "user\nada\n").unwrap();
    let data = Some(file.clone());
    let at = |url: &str, data: &Option<_>| Config { url: url.into(), data: data.clone(), ..config() }.problems();
    assert_eq!(at("ws://127.0.0.1:9/{{data:user}}", &data), Vec::<String>::new());
    assert!(at("ws://127.0.0.1:9/", &data)[0].starts_with("data: nothing is made of it; write {{data:COLUMN}}"));
    assert!(at("ws://127.0.0.1:9/{{data:user}}", &None)[0].contains("no file has values for it; give one with --data"));
    let unknown = at("ws://nowhere.invalid/{{data:user}}", &data);
    assert_eq!(unknown.len(), 1, "not blamed for what the URL hides: {unknown:?}");
    std::fs::remove_file(file).unwrap();
}
