/** Informs whoever watches a run (watch/), and keeps in its bundle what agents report during a trial. */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { formatRows, readJson } from '../common/files.js';
import { THIS_HOST } from '../common/protocol.js';
import { describeClaim } from '../../report/summary.js';
import { Watch } from '../watch/server.js';
import { folderOf } from './merge.js';

/** @typedef {import('../watch/feed.js').Feed} Feed */
/** @typedef {{spec: import('../spec/spec.js').Spec, bundle: string, hosts: string[]}} WatchedRun `hosts` is empty for this host alone */
/** @typedef {import('../plan/plan.js').Planned} Planned */
/** @typedef {import('./progress.js').Progress} Progress */

/** @template T @param {number | undefined} port see parseWatch @param {(feed: Feed) => Promise<T>} carryOut informs the feed */
export async function withWatch(port, carryOut) {
  const watch = await Watch.open(port);
  if (watch.url) console.log(`watch it in another terminal: ./wscale watch, or ${watch.url}`);
  try {
    return await carryOut(watch.feed);
  } finally {
    await watch.close();
  }
}

/** @param {Feed} feed @param {WatchedRun} run @param {() => Promise<number>} carryOut one experiment */
export async function tellRun(feed, { spec: { experiment, title, profile }, bundle, hosts }, carryOut) {
  feed.tell('run', { experiment, title, profile, bundle: relative(process.cwd(), bundle), hosts: hosts.length ? hosts : [THIS_HOST] });
  try {
    const code = await carryOut();
    const { claims } = readJson(join(bundle, 'verdict.json'));
    feed.tell('ended', { how: code === 0 ? 'ended' : 'ended, with trials that failed', claims: claims.map(describeClaim) });
    return code;
  } catch (error) {
    feed.tell('ended', { how: `ended: ${/** @type {Error} */ (error).message}`, claims: [] });
    throw error;
  }
}

/** @param {Feed} feed @param {Planned} planned the trial @param {Progress} progress of the run */
export function beginTrial(feed, { trial, engine, workload, setting, from_s, to_s }, progress) {
  const { done, total, left_s } = progress;
  feed.tell('trial', { trial, engine, workload, setting, from_s, to_s, number: done + 1, total, left_s });
  progress.begin();
}

/** @param {Feed} feed @param {Planned} planned the trial @param {string} outcome @param {Progress} progress of the run */
export function endTrial(feed, { trial }, outcome, progress) {
  progress.end(trial, outcome);
  const { done, total, left_s } = progress;
  feed.tell('outcome', { trial, outcome, number: done, total, left_s });
}

/** Columns of live.tsv. Those reported by clients are named as in clients/CONTRACT.md, While it runs. */
const LIVE_COLUMNS = [
  'host', 't_s', 'established', 'segments_hz', 'connected', 'due_hz', 'sent_hz', 'received_hz', 'latency_p50_us', 'latency_p99_us', 'cores', 'warnings',
  'told_s', 'due', 'sent', 'received',
];

/** @param {string} raw folder of captures @param {{name: string, text: string}} written text to append to a file */
export function keepWritten(raw, { name, text }) {
  try {
    mkdirSync(raw, { recursive: true });
    appendFileSync(join(raw, basename(name)), text);
  } catch {
    // ignored: if the disk is full, the trial's own writes report it
  }
}

/** A line for whoever follows the run. @param {string} raw folder of captures @param {import('../watch/view.js').Second} second */
export function keepSecond(raw, { cores = {}, warnings, client, ...second }) {
  const listed = Object.entries(cores).map(([role, used]) => `${role}=${used}`).join(',');
  const row = { ...second, ...client, cores: listed || undefined, warnings: warnings.join(',') || undefined };
  const header = existsSync(join(raw, 'live.tsv')) ? '' : `${LIVE_COLUMNS.join('\t')}\n`;
  keepWritten(raw, { name: 'live.tsv', text: header + formatRows(LIVE_COLUMNS, [row]) });
}

/**
 * Pass on what agents report during a trial: to its bundle, where it survives a crash of the coordinator or of the agent, and to the feed.
 * When a trial completes, the agent's own files replace the accounts kept here.
 * @param {import('./session.js').Session[]} sessions of the hosts, the server's first @param {string} raw the trial's folder of captures
 * @param {Feed} feed
 */
export function tellSeconds(sessions, raw, feed) {
  for (const session of sessions) {
    const own = session === sessions[0] ? raw : folderOf(raw, session.agent.name);
    session.onWritten = (written) => keepWritten(own, written);
    session.onSecond = (counts) => {
      const second = { host: THIS_HOST, ...counts };
      keepSecond(raw, second);
      feed.tell('second', second);
    };
  }
}
