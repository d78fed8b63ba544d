'use strict';

var client = require('socketcluster-client');

var PING = { param: 'pong' }; // listing A.1 of the thesis

// `for await (const item of stream)` in ES5.
function forEach(stream, visit) {
  var consumer = stream.createConsumer();
  function take(item) {
    if (item.done) return;
    visit(item.value);
    consumer.next().then(take);
  }
  consumer.next().then(take);
}

// No reconnection, so that a dropped connection is counted as dropped. The library hides the system's error, so we take it from
// the underlying ws.
exports.connect = function connect(url, settings, on) {
  var address = new URL(url);
  var socket = client.create({ hostname: address.hostname, port: +address.port, autoReconnect: false });
  socket.transport.socket.on('error', on.error);
  forEach(socket.listener('connect'), on.open);
  forEach(socket.listener('error'), function (event) { on.error(event.error); });
  forEach(socket.listener('connectAbort'), function (event) { on.close(event.code + ' ' + event.reason); });
  forEach(socket.listener('disconnect'), function (event) { on.close(event.code + ' ' + event.reason); });
  forEach(socket.receiver('pong'), on.reply);
  forEach(socket.receiver('echo'), on.reply);
  return {
    ping: function () { socket.transmit('ping', PING); },
    echo: function (payload) { socket.transmit('echo', payload); },
    close: function () { socket.disconnect(); }
  };
};
