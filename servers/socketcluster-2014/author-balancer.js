'use strict';

// Balancing "loadbalancer": the package of that name by SocketCluster's author, as the registry has it (0.9.26). It passes TCP
// connections on and reads nothing in them, so that a session of polls and a WebSocket finds its worker by the client's address:
// `stickiness`, a hash. (Its other way draws a worker for each address, which several balancers would not draw alike.)

var util = require('util');
var LoadBalancer = require('loadbalancer/loadbalancer'); // its main file is the program round it
var member = require('./member');

function Unbound(options) {
  LoadBalancer.call(this, options);
}
util.inherits(Unbound, LoadBalancer);

// The package listens on all addresses of the host; here balancer.js says where.
Unbound.prototype._start = function () {
  setInterval(this._cleanupSessions.bind(this), this.sessionExpiryInterval);
};

/**
 * @param {object} settings
 * @returns {{server: net.Server}}
 */
module.exports = function createAuthorBalancer(settings) {
  // A port that is a path is a UNIX socket (net.js of Node 0.10, createConnection)
  var targets = member.socketPathsOf(settings, 'worker').map(function (socketPath) {
    return { host: 'localhost', port: socketPath };
  });
  var balancer = new Unbound({ targets: targets, stickiness: true });
  balancer.on('error', member.warn.bind(null, 'loadbalancer'));
  return { server: balancer._server };
};
