/** A client's configuration (clients/CONTRACT.md), and the metrics taken from its summary. */
import { join } from 'node:path';
import { readJson, writeTsv } from '../common/files.js';
import { askedOf } from '../spec/behaviours.js';
import { readGenerator } from '../spec/generators.js';
import { entriesOf } from '../spec/own-settings.js';
import { parseSetting } from '../common/setting.js';
import { tellClient } from '../spec/settings.js';
import { staircaseOf, tellClient as tellSteps } from '../spec/sweep.js';

/**
 * @param {object} given @param {import('../spec/spec.js').Spec} given.spec @param {import('../plan/plan.js').Planned} given.planned
 * @param {import('../spec/points.js').Conditions} given.conditions @param {string} given.url @param {string} given.out
 * @param {string} [given.ca] path of the certificate to trust
 * @param {string} [given.keylog] path for the keys of the TLS sessions
 */
export function clientConfig({ spec: { load, engines, workloads, settings }, planned, conditions, url, out, ca, keylog }) {
  const { behaviour, options, client_processes, client_threads, payload, connections, connect_rate_hz } = conditions;
  const { warmup_s, ramp_s, settle_s, hold_s, arrivals } = conditions;
  const staircase = staircaseOf(arrivals);
  const { library, dialect } = engines[planned.engine];
  const { arrivals: _arrivals, search: _search, hold_s: _hold_s, warmup_s: _warmup_s, ...ofWorkload } = workloads[planned.workload];
  const { dialects, takes = [] } = readGenerator(conditions.generator);
  const more = {
    ...ofWorkload, ...(client_threads > 1 && { threads: client_threads }), record_connections: load.record_connections,
    ...tellClient(parseSetting(planned.setting), options, planned.seed, entriesOf(settings)),
  };
  return {
    url, ...(dialects ? { dialect } : { library }), out,
    behaviour: askedOf(behaviour), processes: client_processes,
    warmup_s, connections, connect_rate_hz, ramp_s, settle_s, hold_s,
    arrivals: staircase ? tellSteps(staircase, connections, ramp_s, settle_s) : arrivals,
    payload, seed: planned.seed, late_ms: load.late_ms, drain_s: load.drain_s,
    ...Object.fromEntries(Object.entries(more).filter(([key, value]) => takes.includes(key) && value !== undefined)),
    ...(ca && { tls: options.tls, ca }), ...(keylog && { keylog }),
  };
}

/**
 * Write metrics.tsv beside a client's summary: the metrics that are not sums over seconds.
 * @param {string} folder of its records @param {{kind: string}} arrivals @param {number} to_s the end of the window
 * @param {number} [killed_s] when a server process was killed. A client still gone at the end has waited at least until then
 */
export function writeClientMetrics(folder, { kind }, to_s, killed_s) {
  const { metrics: own = {}, window, connections: { asked, gone_at_end, reconnect_max_us } } = readJson(join(folder, 'summary.json'));
  const { missing = 0, unsent_remote = 0, received = 0, reach } = window;
  const unanswered = missing + unsent_remote;
  const isCounted = kind !== 'staircase' && unanswered + received > 0; // of a sweep, the reduction computes the share
  /** @type {[string, number | null | undefined][]} */
  const metrics = [
    ['connections', asked], ['gone_at_end', gone_at_end], ['reach', reach],
    ['unanswered_share', isCounted ? unanswered / (unanswered + received) : undefined],
    ['recovery_s', gone_at_end > 0 && killed_s !== undefined ? to_s - killed_s : reconnect_max_us && reconnect_max_us / 1e6],
    ...Object.entries(own),
  ];
  const known = metrics.filter(([, value]) => value !== undefined && value !== null);
  writeTsv(join(folder, 'metrics.tsv'), ['metric', 'value'], known.map(([metric, value]) => ({ metric, value })));
}
