'use strict';

// Servers with several workers under Node's `cluster`, for current engines. Its primary is the contract's `master`.

var cluster = require('cluster');
var http = require('http');
var contract = require('./contract.cjs');
var createCrew = require('./crew.cjs');

/**
 * Runs a server with WSCALE_WORKERS workers. A single worker runs in this process, without `cluster`, as in `serve`.
 * @param {string} folder of the server; its options may include `scheduling`: `rr` or `none`
 * @param {Object<string, function(object)>} behaviours as in `serve`
 * @param {function(http.Server, function(object))} attach as in `serve`
 * @param {function(object, object)} [pages] as in `serve`
 * @param {function(http.Server)} [handOver] for an engine that chooses the worker itself: makes the primary's HTTP server hand its
 *   connections over. Then the workers do not listen
 */
function serveCluster(folder, behaviours, attach, pages, handOver) {
  if (cluster.isWorker) work(contract.begin(folder), behaviours, attach, pages, handOver);
  else if (+process.env.WSCALE_WORKERS === 1) contract.serve(folder, behaviours, attach, pages);
  else supervise(folder, handOver);
}

// A worker ends with the primary: node:cluster ends it when the channel between them closes.
function work(begun, behaviours, attach, pages, handOver) {
  var server = contract.createServer(begun, behaviours, attach, pages);
  if (handOver) tellListening();
  else server.listen(begun.settings.port, begun.settings.host, tellListening);
}

function tellListening() {
  process.send({ event: 'listening' });
}

function supervise(folder, handOver) {
  var crew = createCrew();
  var begun = contract.begin(folder, crew.stop);
  var settings = begun.settings;
  var server = null; // the primary's server, only with `handOver`
  if (['broadcast', 'updates'].indexOf(settings.behaviour) >= 0) refuseSeveral(begun);

  // Starts one worker first: if the port is in use, the error is printed once, and the others never start.
  function startFirst() {
    crew.add('worker', 1, 1, fork, startOthers);
  }

  function startOthers() {
    crew.add('worker', 2, settings.counts.worker, fork, handOver ? accept : report);
  }

  // Listens after all workers have started, once. Later calls follow the replacement of a worker.
  function accept() {
    if (server) return report();
    server = http.createServer();
    server.on('error', contract.failToListen(begun.engine.name, settings));
    handOver(server);
    server.listen(settings.port, settings.host, report);
  }

  function report() {
    var self = { pid: process.pid, role: 'master', index: 1 };
    contract.printReady(begun.engine, settings.port, [self].concat(crew.list()));
  }

  cluster.schedulingPolicy = settings.options.scheduling === 'none' ? cluster.SCHED_NONE : cluster.SCHED_RR;
  cluster.setupPrimary({
    stdio: ['ignore', 2, 2, 'ipc'], // standard output is only for the `ready` line
    serialization: handOver ? 'advanced' : 'json' // a handed-over connection comes with its first bytes in a Buffer
  });
  startFirst();
}

// Messages to all must reach the connections of every worker, but the workers share nothing.
function refuseSeveral(begun) {
  contract.fail(contract.EXIT.behaviour, begun.engine.name,
    'behaviour "' + begun.settings.behaviour + '" is not supported with ' + begun.settings.counts.worker + ' workers', 'set WSCALE_WORKERS to 1');
}

function fork(index) {
  var worker = cluster.fork({ WSCALE_INDEX: index });
  worker.on('error', function () {}); // a message to a worker that died: its `exit` event follows
  return worker.process;
}

exports.serveCluster = serveCluster;
