'use strict';

// A balancer: forwards connections from the clients' port to the workers' UNIX sockets.

var net = require('net');
var contract = require('../contract.cjs');
var member = require('./member');

var self = member.join();
var settings = self.settings;
var create = require(settings.options.balancing === 'loadbalancer' ? './author-balancer' : './reverse-proxy');
var balancer = create(settings);
balancer.server.on('error', contract.failToListen(self.engine.name, settings));

// Messages from the master: the client counts of the workers (balancing "smart"), and connections (scheduling "rr").
process.on('message', function (message, handle) {
  if (message.event === 'clients') balancer.update(message.counts);
  if (message.event === 'connection') take(handle);
});

// Does what net.js of Node 0.10 does with an accepted connection.
function take(handle) {
  process.send({ event: 'taken' });
  var socket = new net.Socket({ handle: handle, allowHalfOpen: true });
  socket.readable = socket.writable = true;
  balancer.server.emit('connection', socket);
}

if (settings.options.scheduling === 'rr') member.tellListening();
else balancer.server.listen(settings.port, settings.host, member.tellListening);
