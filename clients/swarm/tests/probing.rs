//! Probes: the arrivals of a load that runs change, and what fell due and what was answered is told.

mod support;

use std::thread::sleep;
use std::time::Duration;
use support::{echo, load, serve};
use swarm::arrivals::Process;
use swarm::clock;
use swarm::config::Config;
use swarm::crew::probes::{Probe, Probed};
use swarm::crew::{Crew, Running};

fn start(change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config { probes: true, connections: 2, hold_s: 60.0, ..load(serve(echo)) };
    change(&mut config);
    let running = Crew::assemble(config).unwrap().go(clock::now_ns()).unwrap();
    sleep(Duration::from_millis(200));
    running
}

fn probe(running: &Running, arrivals: Process) -> Result<Probed, String> {
    Probe { arrivals, lead_s: 0.1, hold_s: 0.5, drain_s: 5.0 }.make(running)
}

fn stop(mut running: Running) {
    running.stop();
    while running.wait(Duration::from_millis(10)).is_none() {}
}

#[test]
fn a_probe_tells_what_fell_due_in_its_window_and_what_was_answered() {
    let running = start(|_| {});
    let Probed { connected, due, received, hold_s, .. } =
        probe(&running, Process::Constant { period_ms: 5.0 }).unwrap();
    assert_eq!(connected, 2);
    let wanted = (2.0 * hold_s * 1e3 / 5.0) as u64;
    assert!(due.abs_diff(wanted) <= wanted / 2, "{due} of {wanted}");
    assert!(received.abs_diff(due) <= wanted / 2, "{received} of {due}");
    stop(running);
}

#[test]
fn between_probes_nothing_falls_due_and_all_is_answered() {
    let running = start(|_| {});
    probe(&running, Process::Poisson { rate_hz: 500.0 }).unwrap();
    let before = running.progress();
    sleep(Duration::from_millis(200));
    let after = running.progress();
    assert!(before.due > 0);
    assert_eq!(after.due, before.due);
    assert_eq!(after.received, after.sent);
    stop(running);
}

#[test]
fn a_closed_loop_goes_as_fast_as_answers_come_and_ends_with_its_probe() {
    let running = start(|_| {});
    let closed = probe(&running, Process::Closed { outstanding: 3 }).unwrap();
    assert!(closed.received > 100, "{closed:?}");
    let open = probe(&running, Process::Constant { period_ms: 50.0 }).unwrap();
    assert!(open.due < closed.due, "{open:?} after {closed:?}");
    stop(running);
}

#[test]
fn a_probe_tells_the_cpu_time_of_its_window_and_one_without_messages_hardly_any() {
    let running = start(|_| {});
    let busy = probe(&running, Process::Closed { outstanding: 3 }).unwrap();
    let idle = probe(&running, Process::Constant { period_ms: 1e6 }).unwrap();
    assert!(busy.cpu_s > 0.0, "{busy:?}");
    assert!(idle.cpu_s >= 0.0 && idle.cpu_s < busy.cpu_s / 2.0, "{idle:?} after {busy:?}");
    stop(running);
}

#[test]
fn a_probe_tells_how_late_answers_were_from_when_they_were_due_and_that_none_was_lost() {
    let running = start(|_| {});
    let Probed { latency_p99_us, lost, late, .. } = probe(&running, Process::Poisson { rate_hz: 500.0 }).unwrap();
    assert!(latency_p99_us.is_some_and(|us| us > 0 && us < 500_000), "{latency_p99_us:?}");
    assert_eq!((lost, late <= 500), (0, true));
    let none = probe(&running, Process::Constant { period_ms: 1e6 }).unwrap();
    assert_eq!(none.latency_p99_us, None, "{none:?}");
    stop(running);
}

#[test]
fn a_load_that_is_over_makes_no_probe() {
    let running = start(|config| (config.hold_s, config.ramp_s) = (1.0, 0));
    sleep(Duration::from_millis(1500));
    assert!(probe(&running, Process::Constant { period_ms: 5.0 }).unwrap_err().contains("raise hold_s"));
    stop(running);
}
