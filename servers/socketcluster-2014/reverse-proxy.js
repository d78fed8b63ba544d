'use strict';

// The suite's own balancer: an HTTP and WebSocket reverse proxy to the workers' UNIX sockets, on the package that those of 2014 used.
//
// Node 0.10's HTTP agent allows five sockets to a host. It does not throttle here: requests to a UNIX socket pass by any
// agent (http.js of Node 0.10, ClientRequest), so each has a connection of its own; and http-proxy sets no agent.

var http = require('http');
var net = require('net');
var httpProxy = require('http-proxy');
var member = require('./member');
var policies = require('./policies');

/**
 * @param {object} settings
 * @returns {{server: net.Server, update: function(number[])}} `update` takes the workers' counts of clients
 */
module.exports = function createReverseProxy(settings) {
  var choose = policies[settings.options.balancing](settings.counts.worker, settings.counts.balancer);
  var targets = member.socketPathsOf(settings, 'worker').map(function (socketPath) {
    return { target: { socketPath: socketPath } };
  });

  var proxy = httpProxy.createProxyServer({ xfwd: true, ws: true });
  var server = http.createServer(function (request, response) {
    proxy.web(request, response, findTarget(request));
  });

  // A session begins by polling and upgrades in a connection of its own: both must reach the worker that holds it. Its name
  // is the second part of the socket's id, which stands in the query, and in the cookie of a browser.
  function findTarget(request) {
    var found = /[?&]sid=[^_&]*_worker-(\d+)_/.exec(request.url) || /n\/wscale\/io=[^_;]*_worker-(\d+)_/.exec(request.headers.cookie);
    return found && targets[found[1] - 1] || targets[choose(request)];
  }

  server.on('upgrade', function (request, socket, head) {
    socket.on('error', function () { socket.destroy(); });
    proxy.ws(request, socket, head, findTarget(request));
  });
  proxy.on('error', hangUp);
  return { server: server, update: choose.update };
};

// Called with a response, or with the client's socket if it was to be a WebSocket: a worker died, or a side hung up.
function hangUp(error, request, responseOrSocket) {
  if (responseOrSocket instanceof net.Socket) return responseOrSocket.destroy();
  if (!responseOrSocket.headersSent) responseOrSocket.writeHead(502);
  responseOrSocket.end();
}
