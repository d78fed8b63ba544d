//! Words problems of a configuration as problems of the command line.

/// The option for each configuration key. Problems begin with the key.
const OPTIONS: [(&str, &str); 48] = [
    ("url", "URL"),
    ("dialect", "--dialect"),
    ("out", "--out"),
    ("connections", "--connections"),
    ("processes", "--processes"),
    ("threads", "--threads"),
    ("connect_rate_hz", "--connect-rate"),
    ("max_connecting", "--max-connecting"),
    ("max_outstanding", "--max-outstanding"),
    ("ramp_s", "--connections / --connect-rate (s)"),
    ("coalesce_us", "--coalesce (us)"),
    ("local_addresses", "--local"),
    ("hold_s", "--duration (s)"),
    ("settle_s", "--settle (s)"),
    ("warmup_s", "--warmup (s)"),
    ("drain_s", "--drain (s)"),
    ("late_ms", "--late (ms)"),
    ("churn_hz", "--churn"),
    ("reconnect.delay_ms", "--reconnect: the delay (ms)"),
    ("reconnect.jitter_ms", "--reconnect: the jitter (ms)"),
    ("reconnect.factor", "--reconnect: the factor"),
    ("reconnect.max_ms", "--reconnect: the greatest delay (ms)"),
    ("connect_timeout_s", "--connect-timeout (s)"),
    ("payload.type", "--binary: the payload's type"),
    ("payload.bytes", "--size"),
    ("arrivals.outstanding", "--outstanding"),
    ("tls.ca", "--ca"),
    ("tls.cert", "--cert"),
    ("tls.key", "--key"),
    ("tls.server_name", "--server-name"),
    ("tls.version", "--tls-version"),
    ("tls", "TLS"),
    ("request.headers", "--header"),
    ("request.subprotocols", "--subprotocol"),
    ("request.bearer_file", "--bearer-file"),
    ("request.proxy", "--proxy"),
    ("request", "--header, --origin, --cookie, --subprotocol, --bearer-file"),
    ("data", "--data"),
    ("deflate", "--deflate"),
    ("client.read_rate_b_s", "--read-rate"),
    ("client.stop_reading", "--stop-reading"),
    ("client.ping_every_ms", "--ping (ms)"),
    ("client.close_code", "--close"),
    ("messages.message", "--message"),
    ("messages.answer", "--answer"),
    ("messages.sent_at", "--sent-at"),
    ("messages.opening.send", "--on-open"),
    ("messages.opening.await", "--ready"),
];

/// Replaces the key by the option, also where it stands in the middle.
pub(super) fn name_option(problem: &str) -> String {
    let key = problem.split([' ', ':']).next().unwrap_or_default();
    let named = match OPTIONS.iter().find(|(known, _)| *known == key) {
        Some((_, option)) => format!("{option}{}", &problem[key.len()..]),
        None => problem.replace("arrivals.kind is closed", "--outstanding, or no --rate, is a closed loop"),
    };
    let long = OPTIONS.iter().filter(|(key, _)| key.contains(['.', '_']));
    long.fold(named, |told, (key, option)| told.replace(&format!(" {key} "), &format!(" {option} ")))
        .replace("raise late_ms", "raise --late (ms)")
        .replace("raise connect_rate_hz", "raise --connect-rate")
        .replace("set processes to", "use --processes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_a_problem_begins_with_and_those_within_it_are_told_as_options() {
        assert_eq!(name_option("hold_s is 0; set it to 1"), "--duration (s) is 0; set it to 1");
        assert_eq!(name_option("churn_hz: a broadcast counts"), "--churn: a broadcast counts");
        assert_eq!(name_option("connections is 9; set processes to 2"), "--connections is 9; use --processes 2");
        assert_eq!(name_option("probes: connections"), "probes: connections");
        assert_eq!(
            name_option("coalesce_us is 9; lower it, or raise late_ms"),
            "--coalesce (us) is 9; lower it, or raise --late (ms)"
        );
        assert_eq!(name_option("tls.cert \"a\" with tls.key \"b\": no"), "--cert \"a\" with --key \"b\": no");
        assert_eq!(name_option("reconnect.max_ms is 5; set"), "--reconnect: the greatest delay (ms) is 5; set");
    }
}
