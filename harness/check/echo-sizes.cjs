'use strict';

// One connection by an engine's own client library, on that library's runtime. It sends messages of each size and type, each after the
// echo of the previous one. ES5, since libraries of 2014 run on Node 0.10.
//
// usage: node echo-sizes.cjs JSON      with the adapter's path, the url, and the messages: [{type, bytes}]
// It prints `done JSON`, null or the first fault, then keeps its connection until standard input ends.

var path = require('path');

/** For an answer: a server on a busy machine may take a second for 1 MB. */
var PATIENCE_MS = 10000;

var config = JSON.parse(process.argv[2]);
/** Beside the folders of the libraries is what they share. */
var shared = path.join(path.dirname(config.adapter), '..');
var payloads = require(path.join(shared, 'payloads.cjs'));
/** Content at random, so that cut, doubled or shifted data show. */
var draw = require(path.join(shared, '..', 'common', 'random.cjs')).createGenerator(1, 0);
var waiting = null; // the message sent but not yet answered
var timer = null;
var isTold = false;
var handle;

/** @param {string | null} fault */
function tell(fault) {
  clearTimeout(timer);
  if (isTold) return; // only the first counts
  isTold = true;
  process.stdout.write('done ' + JSON.stringify(fault) + '\n');
}

function sendNext() {
  var wanted = config.messages.shift();
  if (!wanted) return tell(null);
  waiting = { sent: payloads.createPayload(wanted, draw), name: wanted.type + ' of ' + wanted.bytes + ' B' };
  timer = setTimeout(function () { tell(waiting.name + ': no answer in ' + PATIENCE_MS / 1000 + ' s'); }, PATIENCE_MS);
  handle.echo(waiting.sent);
}

/** @param {*} received */
function take(received) {
  clearTimeout(timer);
  if (!waiting) return tell('an answer of ' + payloads.sizeOf(received) + ' B to nothing');
  if (received === undefined && waiting.sent === '') received = ''; // Engine.IO 1 reports an empty packet like this
  if (!payloads.isEcho(waiting.sent, received)) return tell(waiting.name + ': the answer of ' + payloads.sizeOf(received) + ' B differs in bytes or type');
  waiting = null;
  sendNext();
}

/** @param {*} what */
function end(what) {
  var text = String(what && what.message || what).split('\n')[0];
  tell((waiting ? waiting.name + ': ' : '') + 'the connection ended instead of an answer (' + text + ')');
}

timer = setTimeout(function () { tell('not connected in ' + PATIENCE_MS / 1000 + ' s'); }, PATIENCE_MS);
handle = require(config.adapter).connect(config.url, { behaviour: 'echo', receivesFiles: false }, {
  open: function () { clearTimeout(timer); sendNext(); },
  reply: take,
  extra: take,
  error: end,
  close: end
});
process.stdin.on('end', function () { process.exit(0); });
process.stdin.resume();
