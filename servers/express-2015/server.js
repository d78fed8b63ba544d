'use strict';

// The three workflows of the thesis on its original stack.
var http = require('http');
var path = require('path');
var express = require('express');
var handlebars = require('handlebars');
var mongodb = require('mongodb');
var Promise = require('es6-promise').Promise;
var createIo = require('socket.io');
var contract = require('../contract.cjs');
var databases = require('../page-delivery/database.cjs');
var routing = require('../page-delivery/routes.cjs');

var SOCKET_IO = ['/socket.io/socket.io.js'];
var JAVA = [
  path.join(__dirname, '../../runtimes/java/bin/java'), '-XX:-UseDynamicNumberOfCompilerThreads', '-cp', 'target/classes:target/lib/*', 'Main'
];
var DATABASE = path.join(__dirname, '../page-delivery/mongo-java-server');

// Wraps the driver's calls in promises.
function openDatabase(db) {
  function collection(count) {
    return db.collection('documents_' + count);
  }
  return {
    find: function (count) {
      return new Promise(function (resolve, reject) {
        collection(count).find().toArray(function (error, documents) {
          if (error) reject(error);
          else resolve(documents);
        });
      });
    },
    seed: function (count, documents) {
      return new Promise(function (resolve, reject) {
        collection(count).insert(documents, { w: 1 }, function (error) {
          if (error) reject(error);
          else resolve();
        });
      });
    }
  };
}

function listen(begun, database, pids) {
  var settings = begun.settings;
  var routes = new routing.Routes({
    handlebars: handlebars, Promise: Promise, filesDir: settings.memoryDir, database: database, databasePids: pids,
    workflows: { server: [], ajax: [], stream: SOCKET_IO, binary: SOCKET_IO, websocket: SOCKET_IO }
  });
  var app = express();
  routes.forEach(function (where, answer) {
    app.get(where, function (request, response) { answer(request, response, request.params); });
  });
  var server = http.createServer();
  server.on('error', contract.failToListen(begun.engine.name, settings));
  server.on('request', routes.stamp);
  server.on('request', app);
  createIo(server).on('connection', function (socket) { connect(routes.delivery, socket); });
  server.listen(settings.port, settings.host, function () {
    contract.printReady(begun.engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
  });
}

// "An authorization handshake stage at the beginning of the socket connection in which Cornerstone establishes a bidirectional mapping".
function connect(delivery, socket) {
  var connection = {
    session: routing.sessionOf(socket.handshake.headers.cookie),
    load: socket.handshake.query.load,
    send: function (result) { socket.emit('result', result); },
    fail: function (error) {
      process.stderr.write('express-2015: ' + (error && error.stack || error) + '\n');
      socket.disconnect();
    }
  };
  if (!delivery.connect(connection)) return socket.disconnect();
  socket.on('disconnect', function () { delivery.disconnect(connection); });
}

var begun = contract.begin(__dirname, databases.stopDatabases);
if (begun.settings.options.database === 'none') listen(begun);
else {
  databases.startDatabase(begun.engine.name, JAVA, DATABASE, function (address, pid) {
    mongodb.MongoClient.connect(address + 'pages', function (error, db) {
      if (error) contract.failWith(begun.engine.name, error);
      listen(begun, openDatabase(db), [pid]);
    });
  });
}
