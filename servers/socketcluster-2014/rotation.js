'use strict';

// Scheduling "rr": the master accepts, and hands connections to the balancers in rotation. In Node 0.10's cluster only the kernel
// decides. This works like SCHED_RR of Node 0.12 (its lib/cluster.js), also with raw handles: a net.Socket would already read the
// client's first bytes, and lose them.

var net = require('net');
var contract = require('../contract.cjs');

/**
 * @param {{engine: object, settings: object}} begun
 * @param {object} crew its members of role `balancer` take the connections
 * @returns {{listen: function(function()), watch: function(ChildProcess)}} `watch` must be called with each started balancer
 */
module.exports = function createRotation(begun, crew) {
  var settings = begun.settings;
  var server = null;
  var turn = 0;

  /** Listens once; later calls, after a balancer was replaced, only call `done`. */
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
    if (!handle) return; // out of descriptors: drop the connection, keep serving
    var balancers = crew.children('balancer');
    if (balancers.length === 0) return handle.close();
    var balancer = balancers[turn++ % balancers.length];
    balancer.inFlight.push(handle);
    balancer.send({ event: 'connection' }, handle);
  }

  // Keeps each handle open until the balancer has taken it. The balancer takes handles in the order of sending.
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
