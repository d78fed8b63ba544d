//! The command in the suite: swarm CONFIG.json (clients/CONTRACT.md).

use crate::{finish, internal, print, settings, wall_of, Failure, INTERNAL_ERROR};
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;
use swarm::clock::{self, ns_of_s, NS_PER_US};
use swarm::config::{Config, MOST_S};
use swarm::crew::probes::Probe;
use swarm::crew::{Crew, Running};
use swarm::report::live::Seconds;
use swarm::report::records;

pub fn run_in_suite(path: &Path) -> Result<(), Failure> {
    let config = Config::read(path).map_err(settings)?;
    let Some(out) = config.out.clone() else {
        return Err(settings(vec![format!("{}: out is missing; set it to an existing folder", path.display())]));
    };
    records::prepare(&out).map_err(internal)?;
    let crew = Crew::assemble(config.clone()).map_err(internal)?;
    let ready =
        serde_json::json!({ "client": "swarm", "version": env!("CARGO_PKG_VERSION"), "processes": crew.list() });
    print(&format!("ready {ready}\n"))?;
    let start_ns = read_start()?;
    let start_wall_ns = wall_of(start_ns);
    let mut running = crew.go(start_ns).map_err(internal)?;
    if config.probes {
        return make_probes(running);
    }
    let mut seconds = Seconds::new(start_ns);
    let done = loop {
        if let Some(result) = running.wait(Duration::from_millis(20)) {
            break finish(config, result, start_wall_ns, None)?;
        }
        if let Some(line) = seconds.line(clock::now_ns(), || running.progress()) {
            let _ = writeln!(std::io::stdout(), "{line}"); // nobody may be reading
        }
    };
    records::write(&out, &done, None).map_err(internal)
}

/// Waits for `go T`. Returns T in ns.
fn read_start() -> Result<u64, Failure> {
    let line = std::io::stdin().lock().lines().next().and_then(Result::ok);
    let Some(line) = line else {
        return Err(internal("standard input ended before \"go T\"".into()));
    };
    let start_us: Option<u64> = line.strip_prefix("go ").and_then(|time| time.parse().ok());
    let start_ns = start_us.and_then(|start_us| start_us.checked_mul(NS_PER_US));
    let Some(start_ns) = start_ns else {
        let told = format!("swarm: standard input said {line:?}; say \"go T\", T in us of CLOCK_MONOTONIC");
        return Err(settings(vec![told]));
    };
    if start_ns > clock::now_ns() + ns_of_s(MOST_S) {
        let told =
            format!("swarm: the start, {line:?}, is over {MOST_S} s ahead; say \"go T\", T in us of CLOCK_MONOTONIC");
        return Err(settings(vec![told]));
    }
    match clock::now_ns().checked_sub(start_ns) {
        Some(late_ns) if late_ns > 0 => {
            let told =
                format!("swarm: the start was {} us ago; say \"go T\" earlier, or a later T", late_ns / NS_PER_US);
            Err(Failure(INTERNAL_ERROR, vec![told]))
        }
        _ => Ok(start_ns),
    }
}

/// Runs a probe for each `probe` line until standard input ends. Probes write no records.
fn make_probes(mut running: Running) -> Result<(), Failure> {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let probe: Option<Probe> = line.strip_prefix("probe ").and_then(|asked| serde_json::from_str(asked).ok());
        let Some(probe) = probe else {
            let told =
                format!("swarm: standard input said {line:?}; say \"probe\" and what clients/CONTRACT.md asks for");
            return Err(settings(vec![told]));
        };
        if let Some(problem) = probe.problem() {
            return Err(settings(vec![format!("swarm: standard input said {line:?}: {problem}")]));
        }
        let probed = probe.make(&running).map_err(internal)?;
        print(&format!("probed {}\n", serde_json::json!(probed)))?;
    }
    running.stop();
    while running.wait(Duration::from_millis(20)).is_none() {}
    Ok(())
}
