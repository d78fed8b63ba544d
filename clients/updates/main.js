// Clients that wait for a server's updates (clients/CONTRACT.md, and README.md here).
//
// usage: node main.js CONFIG.json

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ErrorCounts from '../common/error-counts.cjs';
import { readCpu_s } from '../common/process-cpu.js';
import { runProgram } from '../common/program.js';
import random from '../common/random.cjs';
import { writeRecords } from '../common/record-files.js';
import { monotonic_us, readStart, startEpoch_ms } from '../common/start.js';
import { readConfig } from './config.js';
import { Follower, sleepUntil } from './follower.js';
import { Tally } from './tally.js';
import { transportOf } from './transports.js';

const CLIENT = 'updates';
const WHERE = 'clients/updates';
const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');
/** Time for the last updates and the answers to the last polls to arrive; more, up to `drain_s`, where another client has a later one. */
const LINGER_US = 300e3;
const LOOK_US = 20e3;

/** @typedef {import('./config.js').Config} Config */

const self = { pid: process.pid, role: 'client', index: 1 };
const readVersion = () => JSON.parse(readFileSync(PACKAGE, 'utf8')).version;

/**
 * Runs one client, from its due time to its end.
 * @param {Config} config @param {Tally} tally @param {Follower} follower @param {number} index from 0
 */
async function follow(config, tally, follower, index) {
  const { connect_rate_hz, poll_period_ms, drain_s, seed } = config;
  const drain_us = drain_s * 1e6;
  const due_us = tally.start_us + Math.round((index / connect_rate_hz) * 1e6);
  const phase_us = Math.round(random.createGenerator(seed, index + 1)() * poll_period_ms * 1000);
  await sleepUntil(due_us);
  const course = { due_us, phase_us, end_us: tally.end_us };
  const { over, end } = transportOf(config)(config, follower, course);
  await sleepUntil(tally.end_us + Math.min(drain_us, LINGER_US));
  if (config.transport === 'polling' && config.dialect === 'http') await Promise.race([over, sleepUntil(tally.end_us + drain_us)]);
  while (follower.isBehind(tally.made.last) && monotonic_us() < tally.end_us + drain_us) await sleepUntil(monotonic_us() + LOOK_US);
  follower.end();
  end();
}

async function run() {
  const config = readConfig(process.argv[2]);
  process.stdout.write(`ready ${JSON.stringify({ client: CLIENT, version: readVersion(), processes: [self] })}\n`);
  const start_us = await readStart(WHERE);
  const start_ms = startEpoch_ms(WHERE, start_us);
  const tally = new Tally(config, start_us);
  const errors = new /** @type {any} */ (ErrorCounts)();
  const followers = Array.from({ length: config.connections }, () => new Follower(tally, errors));
  await Promise.all(followers.map((follower, index) => follow(config, tally, follower, index)));
  const summary = {
    client: CLIENT, library: config.dialect, library_version: readVersion(), runtime: `node ${process.version}`,
    ...tally.summarise(), processes: [{ ...self, cpu_s: readCpu_s(process.pid) }], errors: errors.counts,
    subtracts_clocks: true,
  };
  writeRecords(config.out, tally, summary, start_ms);
}

runProgram(WHERE, run);
