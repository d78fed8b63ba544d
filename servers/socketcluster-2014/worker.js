'use strict';

// A worker: socketcluster-server on engine.io 1.3.1, on a UNIX socket behind the balancers.

var fs = require('fs');
var http = require('http');
var path = require('path');
var socketCluster = require('socketcluster-server');
var delivering = require('../delivery-behaviours.cjs');
var contract = require('../contract.cjs');
var createPages = require('../pages.cjs').createPages;
var createSessions = require('./sessions');
var member = require('./member');

// The period of the "smart" policy of 2014.
var CLIENT_COUNT_PERIOD_MS = 5000;

var self = member.join();
var settings = self.settings;
var name = 'worker-' + self.index;
var socketPath = member.socketPathOf(settings.runDir, 'worker', self.index);
var count = 0;

// Listing A.2 of the thesis.
function pingpong(socket) {
  socket.on('ping', function () { socket.emit('pong', ++count); });
}

var behaviours = {
  echo: function (socket) {
    socket.on('echo', function (data) { socket.emit('echo', data); });
  },
  pingpong: pingpong,
  pages: pingpong,
  file: delivering.behaviours.file,
  'file-listed': delivering.behaviours['file-listed'],
  idle: function () {}
};

var answerPages = createPages(__dirname, function () { return count; }, {
  '/socketcluster.js': path.join(__dirname, 'node_modules/socketcluster-client/socketcluster.js')
});

var server = http.createServer(settings.behaviour === 'pages' ? answerPages : contract.answerNotFound);
var engine = socketCluster.attach(server, {
  appName: 'wscale',
  origins: '*:*',
  socketName: name, // part of each socket's id: a balancer finds this worker by it
  sourcePort: settings.port,
  ioClusterClient: createSessions(member.socketPathsOf(settings, 'store'))
});
delivering.prepare(__dirname);
engine.on('connection', behaviours[settings.behaviour]);
engine.on('error', member.warn.bind(null, name));

if (settings.options.balancing === 'smart') {
  setInterval(function () {
    process.send({ event: 'clients', count: engine.clientsCount });
  }, CLIENT_COUNT_PERIOD_MS);
}

if (fs.existsSync(socketPath)) fs.unlinkSync(socketPath); // left over from a dead worker
server.listen(socketPath, member.tellListening);
