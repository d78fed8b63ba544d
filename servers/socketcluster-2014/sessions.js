'use strict';

// The data that a worker of 2014 kept in the stores for each connection. socketcluster-server calls this an ioClusterClient. Messages
// do not use the stores.

var Client = require('sc-broker-cluster').Client;
var warn = require('./member').warn;

// How long a session outlives its last connection. No source states it, and no measurement here lasts this long.
var SESSION_TIMEOUT_S = 1200;

/**
 * @param {string[]} storePaths UNIX sockets of the stores; the hash of a key selects its store
 * @returns {{bind: function, unbind: function, session: function, global: function}}
 */
module.exports = function createSessions(storePaths) {
  var client = new Client({ brokers: storePaths });
  var stores = client.exchange();
  client.on('error', warn.bind(null, 'stores'));

  function bind(socket, callback) {
    socket.on('subscribe', acknowledge);
    socket.on('unsubscribe', acknowledge);
    var done = callAfter(3, socket, callback);
    stores.expire([sessionKeyOf(socket)], SESSION_TIMEOUT_S, done);
    stores.set([sessionKeyOf(socket), socket.id], 1, done);
    stores.expire([addressKeyOf(socket)], SESSION_TIMEOUT_S, done);
  }

  function unbind(socket, callback) {
    var done = callAfter(3, socket, callback);
    stores.remove([sessionKeyOf(socket), socket.id], done);
    stores.remove([addressKeyOf(socket), socket.id], done);
    stores.expire([sessionKeyOf(socket)], SESSION_TIMEOUT_S, done);
  }

  return {
    bind: bind,
    unbind: unbind,
    session: function (id) { return { id: id }; },
    global: function () { return stores; }
  };
};

// Answers, because otherwise the client of 2014 reports a timeout. It does not subscribe: no behaviour publishes.
function acknowledge(event, response) {
  response.end();
}

function sessionKeyOf(socket) {
  return 'session:' + socket.ssid;
}

function addressKeyOf(socket) {
  return 'address:' + socket.address;
}

// Calls back once, with the first error or after `count` answers.
function callAfter(count, socket, callback) {
  return function (error) {
    if (count <= 0) return;
    count = error ? 0 : count - 1;
    if (count === 0) callback(error, socket);
  };
}
