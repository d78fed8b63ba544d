//! The report for people.

use super::latencies::{percentile_us, times_of, Times, PERCENTILES};
use super::notes;
use super::numbers::{ms, thousands};
use super::summary::{expected_broadcasts, share, Done};
use crate::arrivals::Process;
use crate::dialect::Behaviour;
use crate::message::own::{Own, SentAt};
use crate::message::payload::Size;
use crate::tally::counts::{Connections, Counts};
use crate::tally::deflated::Deflated;
use hdrhistogram::Histogram;
use std::fmt::Write;

const BAR_WIDTH: f64 = 50.0;

/// The whole text.
pub fn compose(done: &Done) -> String {
    let mut out = String::new();
    let written = write_all(&mut out, done);
    written.expect("a string takes all");
    out
}

fn write_all(out: &mut String, done: &Done) -> std::fmt::Result {
    writeln!(out, "{}\n", title(done))?;
    write_counts(out, done)?;
    let times = times_of(done);
    write_table(out, &times)?;
    let [(_, latency, _), ..] = &times;
    if !latency.is_empty() {
        write_histogram(out, latency)?;
    }
    let messages = done.tally.errors.iter().map(|(reason, count)| format!("  {} x {reason}", thousands(*count)));
    let warnings = done.warnings();
    let told = warnings.iter().map(|warning| format!("warning: {}", warning.text));
    let notes = notes::find(done).into_iter().map(|note| format!("note: {}", note.text));
    messages.chain(told).chain(notes).try_for_each(|line| writeln!(out, "{line}"))?;
    if !warnings.is_empty() && done.tally.connections.opened > 0 {
        writeln!(out, "The generator may have been the bottleneck: these numbers are not the server's alone.")?;
    }
    Ok(())
}

fn title(done: &Done) -> String {
    let config = &done.config;
    let behaviour = match config.behaviour {
        Behaviour::Echo => "echo",
        Behaviour::PingPong => "ping-pong",
        Behaviour::JsonPing => "JSON ping",
        Behaviour::Idle => "idle",
        Behaviour::Broadcast => "broadcast",
        Behaviour::Own => "messages of its own",
    };
    let size = match (config.behaviour, config.payload.bytes) {
        (Behaviour::Echo | Behaviour::Broadcast, Size::Fixed(bytes)) => format!(" of {bytes} B"),
        (Behaviour::Echo | Behaviour::Broadcast, Size::Drawn(_)) => " of drawn sizes".into(),
        _ => String::new(),
    };
    let each = if config.behaviour == Behaviour::Broadcast { "from one to all" } else { "each" };
    let arrivals = match &config.arrivals {
        _ if config.behaviour == Behaviour::Idle => "no messages".into(),
        _ if config.messages.as_ref().is_some_and(|own| own.message.is_none()) => "which only listen".into(),
        Process::UniformInterval { max_ms } => format!("open, an interval up to {max_ms} ms {each}"),
        Process::Constant { period_ms } => format!("open, every {period_ms} ms {each}"),
        Process::Poisson { rate_hz } => format!("open, Poisson {rate_hz}/s {each}"),
        Process::Closed { outstanding } => format!("closed, {outstanding} out each"),
        Process::Bursts { period_ms, messages } => format!("open, {messages} of each at once every {period_ms} ms"),
        Process::Staircase(staircase) => format!("open, {} steps of a staircase", staircase.steps.len()),
    };
    let stopped = if done.was_stopped { ", stopped early" } else { "" };
    let (url, connections) = (config.shown_url(), thousands(u64::from(config.connections)));
    format!(
        "{url}: {} {behaviour}{size}, {connections} connections, {arrivals}, {:.1} s{stopped}",
        config.dialect, done.hold_s
    )
}

/// The lines before the table.
fn write_counts(out: &mut String, done: &Done) -> std::fmt::Result {
    writeln!(out, "connections  {}", connections(done))?;
    writeln!(out, "messages     {}", messages(done))?;
    writeln!(out, "whole run    {}", whole_run(done))?;
    let window = &done.tally.window;
    if done.config.behaviour == Behaviour::Broadcast {
        let expected = expected_broadcasts(&done.tally);
        let reach = percent(window.received, expected);
        writeln!(out, "reach        {} of {} ({reach})", thousands(window.received), thousands(expected))?;
    }
    let (late, late_ms) = (thousands(window.late), done.config.late_ms);
    if let Some(secured) = secured(done) {
        writeln!(out, "TLS          {secured}")?;
    }
    if window.unread > 0 {
        writeln!(out, "unread       {} answers that slow readers had not read by the end", thousands(window.unread))?;
    }
    if !done.tally.refusals.0.is_empty() {
        writeln!(out, "upgrades     refused: {}", done.tally.refusals)?;
    }
    if let Some(own) = done.config.messages.as_ref().filter(|own| own.subscribe) {
        writeln!(out, "subscribed   {}", subscribed(done, own))?;
    }
    if done.config.deflate.is_some() {
        writeln!(out, "deflate      {}", deflated(&done.tally.deflate))?;
    }
    let late_share = percent(window.late, window.sent);
    writeln!(out, "late         {late} sent more than {late_ms} ms after their time ({late_share})")?;
    writeln!(out, "generator    {}\n", generator(done))
}

fn connections(done: &Done) -> String {
    let Connections {
        opened,
        failed_local,
        failed_remote,
        dropped_local,
        dropped_remote,
        refused,
        timed_out,
        churned,
        reconnected,
        ..
    } = done.tally.connections;
    let (failed, dropped) = (failed_local + failed_remote, dropped_local + dropped_remote);
    let [opened, failed, refused, timed_out, dropped, churned, reconnected, gone] =
        [opened, failed, refused, timed_out, dropped, churned, reconnected, done.tally.gone_now()].map(thousands);
    let asked = thousands(u64::from(done.config.connections));
    let mut told = format!("{opened} opened of {asked}, {failed} failed ({refused} refused TCP, {timed_out} timed out), {dropped} dropped, {churned} churned");
    if done.config.reconnect.is_some() {
        told += &format!(", {reconnected} reconnected, {gone} gone at the end");
    }
    if let Some(recovery_ns) = done.tally.recovery_ns() {
        told += &format!(", the last back {} ms after the first drop", ms(recovery_ns as f64 / 1e3));
    }
    let Connections { pings, pongs, .. } = done.tally.connections;
    if pings > 0 {
        told += &format!(", {} of {} pings answered", thousands(pongs), thousands(pings));
    }
    told
}

/// The line about TLS; `None` without TLS.
fn secured(done: &Done) -> Option<String> {
    let agreed = done.tally.tls.agreed.iter().map(|(agreement, count)| format!("{} x {agreement}", thousands(*count)));
    let agreed: Vec<_> = agreed.collect();
    let trust = if done.config.tls.insecure { ", certificates NOT verified (--insecure)" } else { "" };
    let resumed = thousands(done.tally.tls.resumed);
    (!agreed.is_empty()).then(|| format!("{}, {resumed} resumed{trust}", agreed.join(", ")))
}

fn subscribed(done: &Done, own: &Own) -> String {
    let Counts { subscribed, undated, .. } = done.tally.window;
    let mut told = format!("{} came ({}/s)", thousands(subscribed), rate(done, subscribed));
    let early = done.tally.early.subscribed;
    if early > 0 {
        told += &format!(", {} before the window", thousands(early));
    }
    if done.tally.subscribed_after > 0 {
        told += &format!(", {} after the window", thousands(done.tally.subscribed_after));
    }
    if let Some(SentAt { pointer, unit }) = own.sent_at.as_ref().filter(|_| undated > 0) {
        told += &format!(
            ", {} without a Unix time in {} at {pointer}, or with one to come",
            thousands(undated),
            unit.name()
        );
    }
    told
}

fn deflated(deflate: &Deflated) -> String {
    let agreed = deflate.agreed.iter().map(|(agreed, count)| format!("{} x {agreed}", thousands(*count)));
    let declined = (deflate.declined > 0).then(|| format!("{} declined", thousands(deflate.declined)));
    let told: Vec<_> = agreed.chain(declined).collect();
    let directions =
        [("sent", deflate.sent_wire_b, deflate.sent_b), ("received", deflate.received_wire_b, deflate.received_b)];
    let bytes = directions
        .map(|(name, wire_b, plain_b)| format!("{name} {} B for {} B", thousands(wire_b), thousands(plain_b)));
    let saved = match deflate.saved_b() {
        saved_b @ 0.. => format!("{} B saved", thousands(saved_b.unsigned_abs())),
        grown_b => format!("{} B more than without", thousands(grown_b.unsigned_abs())),
    };
    let agreed = if told.is_empty() { "no agreement".into() } else { told.join(", ") };
    format!("{agreed}; {}: {saved}", bytes.join(", "))
}

fn messages(done: &Done) -> String {
    let window = &done.tally.window;
    let (sent_rate, received_rate) = (rate(done, window.sent), rate(done, window.received));
    let Counts { due, sent, received, out_of_order, duplicate, .. } = *window;
    let [unsent, sent, received, missing, out_of_order, duplicate] =
        [due.saturating_sub(sent), sent, received, done.missing(window), out_of_order, duplicate].map(thousands);
    format!("{sent} sent ({sent_rate}/s), {received} answered ({received_rate}/s), {missing} missing, {unsent} due and never sent, {out_of_order} out of order, {duplicate} duplicate")
}

/// What a service counts too, from the first connection to the end. Wrong and unasked messages are its fault at any time.
fn whole_run(done: &Done) -> String {
    let Counts { sent, received, wrong, unasked, unsent_remote, .. } = done.totals();
    let [sent, received, wrong, unasked, unsent] = [sent, received, wrong, unasked, unsent_remote].map(thousands);
    format!("{sent} sent, {received} answered, {wrong} wrong answers, {unasked} messages that nobody asked for, {unsent} not sent for want of the server")
}

fn generator(done: &Done) -> String {
    let cpu_s: f64 = done.processes.iter().map(|process| process.window_cpu_s).sum();
    let cores = if done.hold_s > 0.0 { cpu_s / done.hold_s } else { 0.0 };
    let busy = 100.0 * done.processes.iter().map(|process| process.busy_share).fold(0.0, f64::max);
    let switches = done.processes.iter().map(|process| process.voluntary_switches + process.involuntary_switches).sum();
    let switch_rate = rate(done, switches);
    format!("{cores:.2} of a core, busiest loop busy {busy:.0} % of the time, {switch_rate} context switches/s")
}

/// Per second; "-" if the load was stopped before the window began.
fn rate(done: &Done, count: u64) -> String {
    match done.hold_s {
        hold_s if hold_s > 0.0 => thousands((count as f64 / hold_s).round() as u64),
        _ => "-".into(),
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.3} %", 100.0 * share(part, whole))
}

fn write_table(out: &mut String, rows: &[Times]) -> std::fmt::Result {
    let heads: String = PERCENTILES.iter().map(|percentile| format!("{:>10}", format!("p{percentile}"))).collect();
    writeln!(out, "ms         {:>10}{heads}{:>10}", "mean", "max")?;
    for (name, histogram, meaning) in rows.iter().filter(|(_, histogram, _)| !histogram.is_empty()) {
        let cells: String =
            PERCENTILES.iter().map(|percentile| format!("{:>10}", cell(histogram, *percentile))).collect();
        let (mean, max) = (ms(histogram.mean()), ms(histogram.max() as f64));
        writeln!(out, "{name:<11}{mean:>10}{cells}{max:>10}  {meaning}")?;
    }
    writeln!(out)
}

fn cell(histogram: &Histogram<u64>, percentile: f64) -> String {
    percentile_us(histogram, percentile).map_or("-".into(), |us| ms(us as f64))
}

/// Latency in bins of 1, 2 and 5 times a power of ten.
fn write_histogram(out: &mut String, latency: &Histogram<u64>) -> std::fmt::Result {
    let edges: Vec<u64> = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power))).collect();
    let mut counts = vec![0; edges.len()];
    for value in latency.iter_recorded() {
        // a bucket may straddle an edge: its lower bound decides
        let least = latency.lowest_equivalent(value.value_iterated_to());
        counts[edges.partition_point(|edge| *edge <= least).min(edges.len() - 1)] += value.count_at_value();
    }
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let most = counts.iter().max().copied().unwrap_or(1).max(1);
    writeln!(out, "latency below, ms")?;
    for at in first..=last {
        let bar = "#".repeat((counts[at] as f64 / most as f64 * BAR_WIDTH).ceil() as usize);
        writeln!(out, "{:>10} {:>12} {bar}", ms(edges[at] as f64), thousands(counts[at]))?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::sketch::Sketch;

    #[test]
    fn a_histogram_has_a_line_for_each_bin_between_the_first_and_the_last() {
        let mut histogram = Sketch::default().to_histogram();
        histogram.record_n(60, 100).unwrap();
        histogram.record_n(300, 50).unwrap();
        let mut out = String::new();
        write_histogram(&mut out, &histogram).unwrap();
        let bars: Vec<usize> = out.lines().skip(1).map(|line| line.matches('#').count()).collect();
        assert_eq!(bars, [50, 0, 25, 0]);
    }
}
