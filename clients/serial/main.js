// Drives a library's program through rounds, and records its times (clients/CONTRACT.md).
//
// usage: node main.js CONFIG.json

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCpu_s } from '../common/process-cpu.js';
import { runProgram } from '../common/program.js';
import { writeRecords, writeWhole } from '../common/record-files.js';
import { readStart, startEpoch_ms } from '../common/start.js';
import { Tally } from '../common/tally.js';
import { readConfig } from './config.js';
import { Library } from './library.js';
import { Rounds } from './rounds.js';

const CLIENT = 'serial';
const WHERE = 'clients/serial';
const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');
const COLUMNS = /** @type {const} */ (['t_s', 'round', 'quantity', 'size_b', 'us']);

/** @type {Library | undefined} */
let library;

/** @param {number} pid of the library's program */
function listProcesses(pid) {
  return [{ pid: process.pid, role: 'recorder', index: 1 }, { pid, role: 'client', index: 1 }];
}

/** @param {string} folder @param {import('./rounds.js').Sample[]} samples */
function writeSamples(folder, samples) {
  const lines = samples.map((sample) => ({ ...sample, t_s: sample.t_s.toFixed(3) }));
  writeWhole(folder, 'serial.tsv', [COLUMNS, ...lines.map((line) => COLUMNS.map((name) => line[name]))].map((cells) => `${cells.join('\t')}\n`).join(''));
}

async function run() {
  const config = readConfig(process.argv[2]);
  library = new Library(config);
  await library.ask();
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const processes = listProcesses(library.pid);
  process.stdout.write(`ready ${JSON.stringify({ client: CLIENT, version, processes })}\n`);

  const start_us = await readStart(WHERE);
  const start_ms = startEpoch_ms(WHERE, start_us);
  const tally = new Tally(config, start_us);
  const rounds = new Rounds(config, library, tally, start_us);
  await rounds.run();
  const summary = {
    client: CLIENT,
    library: library.name,
    ...tally.summarise(),
    processes: processes.map((entry) => ({ ...entry, cpu_s: readCpu_s(entry.pid) })),
    errors: {},
  };
  writeSamples(config.out, rounds.samples);
  writeRecords(config.out, tally, summary, start_ms);
  await library.stop();
}

runProgram(WHERE, run, () => library?.kill());
