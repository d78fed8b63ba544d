'use strict';

// The suite's own balancer: an HTTP and WebSocket reverse proxy to the workers' UNIX sockets, on the package that 2014's balancers used.
//
// Node 0.10's HTTP agent allows 5 sockets per host, but it does not throttle here. Requests to a UNIX socket bypass any agent (http.js
// of Node 0.10, ClientRequest), so each has its own connection; and http-proxy sets no agent.

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

  // A session starts with polling, and upgrades on a separate connection. Both must reach the worker with the session. The worker's
  // name is the second part of the socket's id, in the query and in a browser's cookie.
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

// Called if a worker died or one side hung up: with a response, or for a WebSocket with the client's socket.
function hangUp(error, request, responseOrSocket) {
  if (responseOrSocket instanceof net.Socket) return responseOrSocket.destroy();
  if (!responseOrSocket.headersSent) responseOrSocket.writeHead(502);
  responseOrSocket.end();
}
