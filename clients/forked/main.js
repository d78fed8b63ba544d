// The recorder: starts the drivers, and counts and writes their records (clients/CONTRACT.md).
//
// usage: node main.js CONFIG.json

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { Driver } from './drivers.js';
import { checkSupport, readLibrary } from './library.js';
import { readCpu_s } from '../common/process-cpu.js';
import { runProgram } from '../common/program.js';
import { writeRecords } from '../common/record-files.js';
import { tellSeconds } from './second-lines.js';
import { readStart, startEpoch_ms } from '../common/start.js';
import { Tally } from '../common/tally.js';

const CLIENT = 'forked';
const WHERE = 'clients/forked';
const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');

/** @type {Driver[]} */
const drivers = [];
/** @type {Tally} set at `go` */
let tally;

/**
 * @param {import('./config.js').Config} config
 * @param {import('./library.js').Library} library
 */
function startDrivers(config, library) {
  for (let index = 0; index < config.processes; index++) {
    drivers.push(new Driver(config, library, index, (...record) => tally.add(...record)));
  }
}

function listProcesses() {
  return [
    { pid: process.pid, role: 'recorder', index: 1 },
    ...drivers.map(({ pid, index }) => ({ pid, role: 'client', index: index + 1 })),
  ];
}

function printReady() {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  process.stdout.write(`ready ${JSON.stringify({ client: CLIENT, version, processes: listProcesses() })}\n`);
}

/** @param {Object<string, number>[]} errorsOfDrivers */
function addErrors(errorsOfDrivers) {
  /** @type {Object<string, number>} */
  const sum = {};
  for (const [text, count] of errorsOfDrivers.flatMap((errors) => Object.entries(errors))) sum[text] = (sum[text] ?? 0) + count;
  return sum;
}

function measureProcesses() {
  const recorder_s = readCpu_s(process.pid);
  return listProcesses().map((entry, at) => ({ ...entry, cpu_s: at === 0 ? recorder_s : drivers[at - 1].cpu_s }));
}

/**
 * Waits for a promise, but fails if a driver dies first.
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 * @throws {Failure} 70
 */
function beforeDeath(promise) {
  return Promise.race([promise, ...drivers.map((driver) => driver.death)]);
}

async function run() {
  const config = readConfig(process.argv[2]);
  const library = readLibrary(config.library);
  checkSupport(library, config);
  startDrivers(config, library);

  const [node] = await beforeDeath(Promise.all(drivers.map((driver) => driver.hello)));
  printReady();
  const start_us = await beforeDeath(readStart(WHERE));
  tally = new Tally(config, start_us);
  const start_ms = startEpoch_ms(WHERE, start_us);
  for (const driver of drivers) driver.go(start_us);
  const stopTelling = tellSeconds(tally);
  const errors = addErrors(await beforeDeath(Promise.all(drivers.map((driver) => driver.goodbye))));
  stopTelling();
  const summary = {
    client: CLIENT,
    library: library.name,
    library_version: library.version,
    runtime: `${library.runtime} ${node}`,
    ...tally.summarise(),
    processes: measureProcesses(),
    errors,
  };
  writeRecords(config.out, tally, summary, start_ms);
  await Promise.all(drivers.map((driver) => driver.stop()));
}

runProgram(WHERE, run, () => drivers.forEach((driver) => driver.kill()));
