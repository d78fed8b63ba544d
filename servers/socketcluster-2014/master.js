'use strict';

// The first process: starts stores, then workers, then balancers, and replaces those that die. Balancers come last, because then the
// server accepts clients.

var cluster = require('cluster');
var path = require('path');
var execFile = require('child_process').execFile;
var spawn = require('child_process').spawn;
var extend = require('util')._extend;
var contract = require('../contract.cjs');
var createCrew = require('../crew.cjs');
var createRotation = require('./rotation');

// How often the balancers of 2014 recomputed the quotas of their "smart" policy.
var CLIENT_COUNTS_PERIOD_MS = 5000;

var crew = createCrew();
var begun = contract.begin(__dirname, crew.stop);
var settings = begun.settings;
var rotation = settings.options.scheduling === 'rr' ? createRotation(begun, crew) : null;
var clientCounts = []; // by worker, for the "smart" policy

// Sets the limit for this process and its children with prlimit: Node 0.10 cannot.
function limitDescriptors(next) {
  var limit = settings.options.descriptors;
  if (limit === 'own') return next();
  execFile('prlimit', ['--pid', String(process.pid), '--nofile=' + limit + ':' + limit], function (error) {
    if (!error) return next();
    contract.fail(contract.EXIT.system, begun.engine.name, 'the limit of descriptors "' + limit + '" was refused', 'raise the hard limit, or run it as root');
  });
}

function startStores() {
  crew.add('store', 1, settings.counts.store, spawnScript.bind(null, 'store.js'), startWorkers);
}

function startWorkers() {
  crew.add('worker', 1, settings.counts.worker, spawnWorker, startFirstBalancer);
}

// Starts one balancer first: if the port is in use, the error is printed once, and the others never start.
function startFirstBalancer() {
  cluster.setupMaster({ exec: path.join(__dirname, 'balancer.js'), args: [] });
  crew.add('balancer', 1, 1, forkBalancer, startOtherBalancers);
}

function startOtherBalancers() {
  crew.add('balancer', 2, settings.counts.balancer, forkBalancer, rotation ? rotation.listen.bind(null, report) : report);
}

function report() {
  var self = { pid: process.pid, role: 'master', index: 1 };
  contract.printReady(begun.engine, settings.port, [self].concat(crew.list()));
}

// Sends the children's standard output to standard error: the output of 2014's packages is not for the harness. Uses a pipe: if a child
// should get the same descriptor twice, Node 0.10 closes the second.
function spawnScript(script, index) {
  var child = spawn(process.execPath, [path.join(__dirname, script)], {
    env: extend(extend({}, process.env), { WSCALE_INDEX: index }),
    stdio: ['ignore', 'pipe', 2, 'ipc']
  });
  child.stdout.pipe(process.stderr);
  return child;
}

function spawnWorker(index) {
  var worker = spawnScript('worker.js', index);
  clientCounts[index - 1] = 0;
  worker.on('message', function (message) {
    if (message.event === 'clients') clientCounts[index - 1] = message.count;
  });
  return worker;
}

function forkBalancer(index) {
  var balancer = cluster.fork({ WSCALE_INDEX: index }).process;
  if (rotation) rotation.watch(balancer);
  return balancer;
}

function tellClientCounts() {
  crew.children('balancer').forEach(function (balancer) {
    balancer.send({ event: 'clients', counts: clientCounts });
  });
}

contract.refuseLongRunDir(begun, 'worker-' + settings.counts.worker);
if (settings.options.balancing === 'smart') setInterval(tellClientCounts, CLIENT_COUNTS_PERIOD_MS);
limitDescriptors(startStores);
