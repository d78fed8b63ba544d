'use strict';

// Balancing "loadbalancer": the package of that name by SocketCluster's author, from the registry (0.9.26). It forwards TCP
// connections without reading them. So all polls and the WebSocket of a session reach the same worker only by a hash of the client's
// address: `stickiness`. (Its other mode draws a worker for each address, but several balancers would draw different ones.)

var util = require('util');
var LoadBalancer = require('loadbalancer/loadbalancer'); // the package's main file is its program
var member = require('./member');

function Unbound(options) {
  LoadBalancer.call(this, options);
}
util.inherits(Unbound, LoadBalancer);

// Does not listen: the package would listen on all addresses of the host, but balancer.js decides where.
Unbound.prototype._start = function () {
  setInterval(this._cleanupSessions.bind(this), this.sessionExpiryInterval);
};

/**
 * @param {object} settings
 * @returns {{server: net.Server}}
 */
module.exports = function createAuthorBalancer(settings) {
  // If the port is a path, Node connects to a UNIX socket (net.js of Node 0.10, createConnection)
  var targets = member.socketPathsOf(settings, 'worker').map(function (socketPath) {
    return { host: 'localhost', port: socketPath };
  });
  var balancer = new Unbound({ targets: targets, stickiness: true });
  balancer.on('error', member.warn.bind(null, 'loadbalancer'));
  return { server: balancer._server };
};
