'use strict';

const path = require('node:path');
const SocketCluster = require('socketcluster');
const { begin, EXIT, failToListen, failWith, printReady } = require('../contract.cjs');

console.log = console.error; // standard output is for the `ready` line
const pids = { master: new Map([[0, process.pid]]), worker: new Map(), broker: new Map() };

const { engine, settings } = begin(__dirname, () => {
  cluster.destroy(() => process.exit(EXIT.stopped));
  setTimeout(() => process.exit(EXIT.stopped), 3000); // its other processes end with the channel to this one
});

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
  const processes = Object.keys(pids).flatMap((name) =>
    [...pids[name]].sort(([a], [b]) => a - b).map(([index, of]) => ({ pid: of, role: name, index: index + 1 })));
  printReady(engine, settings.port, processes);
}

// What fails before anything served would fail again for ever; later SocketCluster replaces what died.
cluster.on('fail', (error) => {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') failToListen(engine.name, settings)(error);
  if (pids.worker.size === 0) failWith(engine.name, error);
  process.stderr.write(`warning: ${engine.name}: ${error.message}\n`);
});
cluster.on('workerClusterStart', ({ pid }) => pids.master.set(1, pid));
cluster.on('workerClusterExit', () => pids.worker.clear());
cluster.on('workerMessage', (id, { pid }) => add('worker', id, pid));
cluster.on('workerExit', ({ id }) => pids.worker.delete(id));
cluster.on('brokerStart', ({ id, pid }) => add('broker', id, pid));
cluster.on('brokerExit', ({ id }) => pids.broker.delete(id));
