// Runs the script and records it (clients/CONTRACT.md).
//
// usage: node main.js CONFIG.json

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readChecked } from '../common/config-file.js';
import { EXIT, Failure } from '../common/failure.js';
import { readCpu_s } from '../common/process-cpu.js';
import { runProgram } from '../common/program.js';
import { writeRecords } from '../common/record-files.js';
import records from '../common/records.cjs';
import { monotonic_us, readStart, startEpoch_ms } from '../common/start.js';
import { Tally } from '../common/tally.js';
import { startClient } from './clients.js';
import { Exchange, Marks, makePayload } from './script.js';

const CLIENT = 'exchange';
const WHERE = 'clients/exchange';
const { KIND } = records;
const FOLDER = import.meta.dirname;

/** @param {string} path @returns {any} */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Size of the one message that another client sends. */
const ECHO_B = 13;

/** @type {import('./clients.js').Client | undefined} */
let other;

/** @param {import('./clients.js').Client} client @param {Marks} marks @param {Tally} tally */
async function carryOutBy(client, marks, tally) {
  await marks.set('handshake');
  const called_us = monotonic_us();
  await client.open();
  tally.add(KIND.OPENED, 0, called_us, monotonic_us(), 0);
  await marks.set('echo');
  const sent_us = monotonic_us();
  await client.echo(ECHO_B);
  tally.sent_b = ECHO_B;
  tally.add(KIND.ANSWERED, ECHO_B, sent_us, sent_us, monotonic_us());
  await marks.set('close');
  await client.close();
}

/**
 * @param {any} config
 * @param {Marks} marks
 * @param {Tally} tally
 */
async function carryOut({ url, tls, ca, keylog, exchange: { sizes_b, types, group } }, marks, tally) {
  const exchange = new Exchange({
    url, tls, ca: ca && readFileSync(ca), keep: keylog && ((/** @type {Buffer} */ line) => appendFileSync(keylog, line)),
  }, marks);
  const called_us = monotonic_us();
  await exchange.open();
  tally.add(KIND.OPENED, 0, called_us, monotonic_us(), 0);
  /** @param {string} name @param {(string | Buffer)[]} payloads @param {boolean} [corked] */
  const step = async (name, payloads, corked) => {
    for (const { bytes, intended_us, received_us, wrong } of await exchange.send(name, payloads, corked)) {
      tally.sent_b = bytes;
      tally.add(wrong ? KIND.WRONG : KIND.ANSWERED, bytes, intended_us, intended_us, received_us);
    }
  };
  for (const type of types) for (const size_b of sizes_b) await step(`${type}-${size_b}`, [makePayload(type, size_b)]);
  if (group) {
    const one = makePayload('text', group.bytes);
    const all = Array(group.messages).fill(one);
    await step('single', all);
    await step('corked', all, true);
    await step('batched', [makePayload('text', group.messages * group.bytes)]);
  }
  await exchange.beat();
  await exchange.close();
}

async function run() {
  const config = readChecked(process.argv[2], WHERE, () => []); // no check: a caller that only wants the version has no script
  const { version } = readJson(join(FOLDER, '..', '..', 'package.json'));
  const name = config.exchange?.client;
  other = name && await startClient(name, config.url);
  const processes = [process.pid, ...(other ? [other.pid()] : [])].map((pid, at) => ({ pid, role: 'client', index: at + 1 }));
  process.stdout.write(`ready ${JSON.stringify({ client: CLIENT, version, processes })}\n`);
  const start_us = await readStart(WHERE);
  const start_ms = startEpoch_ms(WHERE, start_us);
  if (!config.exchange) throw new Failure(EXIT.settings, [`${process.argv[2]}: exchange is missing; give the workload one`]);
  const tally = new Tally({ ...config, connections: 1 }, start_us);
  const end_us = start_us + tally.load_s * 1e6;
  await sleep(Math.max(0, tally.windowFrom_us - monotonic_us()) / 1000);
  const marks = new Marks(config.url);
  await (other ? carryOutBy(other, marks, tally) : carryOut(config, marks, tally));
  await marks.end();
  // On a slow host the script may outlast the window. Its bytes are the same, and are captured until this process ends.
  await sleep(Math.max(0, (end_us - monotonic_us()) / 1000));
  writeRecords(config.out, tally, {
    client: CLIENT, ...describeLibrary(name), runtime: `node-24 ${process.version}`,
    ...tally.summarise(), processes: processes.map((each) => ({ ...each, cpu_s: readCpu_s(each.pid) })), errors: {},
    ...(other && { ended_cpu_s: null }), // a browser's processes come and go, and nobody measures them
  }, start_ms);
  await other?.stop();
}

/** @param {string} [name] of another client */
const describeLibrary = (name) => (name ? { library: name, ...(other?.version && { library_version: other.version }) }
  : { library: 'ws', library_version: readJson(join(FOLDER, 'node_modules', 'ws', 'package.json')).version });

runProgram(WHERE, run, () => other?.kill());
