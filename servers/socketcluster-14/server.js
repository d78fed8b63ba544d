'use strict';

const path = require('node:path');
const SocketCluster = require('socketcluster');
const { begin, failToListen, failWith, printReady, refuseLongRunDir, stopWith } = require('../contract.cjs');

console.log = console.error; // standard output is only for the `ready` line
const pids = { master: new Map([[0, process.pid]]), worker: new Map(), broker: new Map() };
let hasServed = false;

const listProcesses = () => Object.keys(pids).flatMap((role) =>
  [...pids[role]].sort(([a], [b]) => a - b).map(([id, pid]) => ({ pid, role, index: id + 1 })));

// SocketCluster's own stop waits for clients, and they may reconnect for ever. Here it only stops replacing processes.
function stop() {
  cluster.removeAllListeners('fail');
  cluster.destroy();
  stopWith(listProcesses().slice(1).map(({ pid }) => pid));
}

const begun = begin(__dirname, stop);
const { engine, settings } = begun;
require('../delivery-behaviours.cjs').readFileSize(__dirname); // refuse here: SocketCluster would keep starting workers that refuse
refuseLongRunDir(begun, `sockets/b${settings.counts.broker}`);

const cluster = new SocketCluster({
  host: settings.host,
  port: settings.port,
  workers: settings.counts.worker,
  brokers: settings.counts.broker,
  schedulingPolicy: settings.options.scheduling,
  socketRoot: path.join(settings.runDir, 'sockets'),
  workerController: path.join(__dirname, 'worker.js'),
  logLevel: 0,
});

function add(role, id, pid) {
  pids[role].set(id, pid);
  if (pids.worker.size < settings.counts.worker || pids.broker.size < settings.counts.broker) return;
  hasServed = true;
  printReady(engine, settings.port, listProcesses());
}

// A failure before the server was ready would repeat for ever. Later, SocketCluster replaces dead processes.
cluster.on('fail', (error) => {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') failToListen(engine.name, settings)(error);
  if (!hasServed) failWith(engine.name, error);
  process.stderr.write(`warning: ${engine.name}: ${error.message}\n`);
});
cluster.on('workerClusterStart', ({ pid }) => pids.master.set(1, pid));
cluster.on('workerClusterExit', () => pids.worker.clear());
cluster.on('workerMessage', (id, { pid }) => add('worker', id, pid));
cluster.on('brokerStart', ({ id, pid }) => add('broker', id, pid));
for (const role of ['worker', 'broker']) cluster.on(`${role}Exit`, ({ id }) => pids[role].delete(id));
