'use strict';

// Before the start: a few connections exchange messages in closed loop, as fast as the server answers, and are closed. It
// lets both sides' just-in-time compilers see the code that is measured; nothing of it is recorded.

// Enough to keep a server busy, few enough to be gone at once.
var CONNECTIONS = 8;
// Between the last exchange and the start: time for the connections to close.
var QUIET_US = 150e3;

/**
 * @param {object} load see driver.cjs
 * @param {number} start_us
 */
module.exports = function warmUp(load, start_us) {
  var until_us = start_us - QUIET_US;
  for (var i = 0; i < CONNECTIONS; i++) exchange(load, until_us);
};

function exchange(load, until_us) {
  var payload = load.payloadOf && load.payloadOf(0);
  var handle = load.adapter.connect(load.url, load.settings, { open: send, reply: send, extra: ignore, error: ignore, close: ignore });
  setTimeout(function () { handle.close(); }, (until_us - load.clock()) / 1000); // whether or not its answer came

  function send() {
    if (load.clock() >= until_us) return;
    if (load.payloadOf) handle.echo(payload);
    else handle.ping();
  }
}

// What goes wrong here goes wrong again in the load, and is counted there.
function ignore() {}
