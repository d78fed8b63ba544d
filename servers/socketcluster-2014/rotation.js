'use strict';

// Scheduling "rr": the master accepts and hands each connection to the balancers in turn. Node 0.10's cluster has the
// kernel decide and nothing else; this does what the SCHED_RR of Node 0.12 does (its lib/cluster.js), by the same means:
// raw handles, since a net.Socket would already read, and lose, what the client sent.

var net = require('net');
var contract = require('../contract.cjs');

/**
 * @param {{engine: object, settings: object}} begun
 * @param {object} crew whose members of role `balancer` take the connections
 * @returns {{listen: function(function()), watch: function(ChildProcess)}} `watch` is called with each balancer when started
 */
module.exports = function createRotation(begun, crew) {
  var settings = begun.settings;
  var server = null;
  var turn = 0;

  /** Listens, once; later calls (when a balancer was replaced) only call `done`. */
  function listen(done) {
    if (server) return done();
    server = net.createServer();
    server.on('error', contract.failToListen(begun.engine.name, settings));
    server.listen(settings.port, settings.host, function () {
      server._handle.onconnection = handOver;
      done();
    });
  }

  function handOver(handle) {
    if (!handle) return; // out of descriptors: the connection is refused, the server goes on
    var balancers = crew.children('balancer');
    if (balancers.length === 0) return handle.close();
    var balancer = balancers[turn++ % balancers.length];
    balancer.inFlight.push(handle);
    balancer.send({ event: 'connection' }, handle);
  }

  // A handle stays open here until the balancer has it; they are taken in the order sent.
  function watch(balancer) {
    balancer.inFlight = [];
    balancer.on('message', function (message) {
      if (message.event === 'taken') balancer.inFlight.shift().close();
    });
    balancer.on('exit', function () {
      balancer.inFlight.forEach(function (handle) { handle.close(); });
    });
  }

  return { listen: listen, watch: watch };
};
