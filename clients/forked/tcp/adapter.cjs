'use strict';

var net = require('net');

// A TCP stream has no message boundaries: the next answer has as many bytes as the oldest unanswered payload.
exports.connect = function connect(url, settings, on) {
  var address = /^tcp:\/\/(.+):(\d+)$/.exec(url);
  var socket = net.connect({ host: address[1], port: +address[2], noDelay: true });
  var out = []; // unanswered payloads, oldest first
  var chunks = []; // received bytes of an incomplete answer
  var arrived_b = 0;

  function receive(chunk) {
    chunks.push(chunk);
    arrived_b += chunk.length;
    while (out.length > 0 && arrived_b >= Buffer.byteLength(out[0])) reply(out.shift());
    if (out.length === 0 && arrived_b > 0) on.reply(take(arrived_b)); // bytes without a request
  }

  function reply(payload) {
    var bytes = take(Buffer.byteLength(payload));
    on.reply(typeof payload === 'string' ? bytes.toString() : bytes);
  }

  /** Takes the first bytes. Joins the chunks only once an answer is complete: a large answer comes in many chunks. */
  function take(size_b) {
    var all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    arrived_b -= size_b;
    chunks = arrived_b > 0 ? [all.slice(size_b)] : [];
    return all.slice(0, size_b);
  }

  socket.on('connect', on.open);
  socket.on('data', receive);
  socket.on('error', on.error);
  socket.on('close', function () { on.close('end of stream'); });
  return {
    echo: function (payload) {
      out.push(payload);
      socket.write(payload);
    },
    close: function () { socket.end(); }
  };
};
