/** Informs whoever watches a run (watch/). */
import { join, relative } from 'node:path';
import { readJson } from '../common/files.js';
import { THIS_HOST } from '../common/protocol.js';
import { describeClaim } from '../../report/summary.js';
import { Watch } from '../watch/server.js';
import { LiveFiles } from './live-files.js';
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

/**
 * Pass on what agents report during a trial: to its bundle and to the feed.
 * @param {import('./session.js').Session[]} sessions of the hosts, the server's first @param {string} raw the trial's folder of captures
 * @param {Feed} feed
 */
export function tellSeconds(sessions, raw, feed) {
  const seconds = new LiveFiles(raw);
  for (const session of sessions) {
    const files = session === sessions[0] ? seconds : new LiveFiles(folderOf(raw, session.agent.name));
    session.onWritten = (written) => files.keep(written);
    session.onSecond = (counts) => {
      const second = { host: THIS_HOST, ...counts };
      seconds.follow(second);
      feed.tell('second', second);
    };
  }
}
