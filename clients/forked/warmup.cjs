'use strict';

// Warm-up before the start: a few connections exchange messages in a closed loop, as fast as the server answers, then close.
// The just-in-time compilers of both sides see the measured code. Nothing is recorded.

// Enough to keep a server busy, few enough to close quickly.
var CONNECTIONS = 8;
// Pause between the last exchange and the start, for the connections to close.
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
  setTimeout(function () { handle.close(); }, (until_us - load.clock()) / 1000); // even if an answer is outstanding

  function send() {
    if (load.clock() >= until_us) return;
    if (load.payloadOf) handle.echo(payload);
    else handle.ping();
  }
}

// An error of the warm-up will occur again in the load, and is counted there.
function ignore() {}
