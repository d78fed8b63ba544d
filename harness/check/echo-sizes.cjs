'use strict';

// One connection by an engine's own client library, on that library's runtime. It sends messages of each size and type, each after the
// echo of the previous one. ES5, since libraries of 2014 run on Node 0.10.
//
// usage: node echo-sizes.cjs JSON      with the adapter's path, the url, and the messages: [{type, bytes}]
// It prints `done JSON`, null or the first fault, then keeps its connection until standard input ends.

var path = require('path');

/** For an answer: a server on a busy machine may take a second for 1 MB. */
var PATIENCE_MS = 10000;
/** Periods of the content; neither divides a power of two, so that cut, doubled or shifted data show. */
var PERIOD_B = { text: 61, binary: 251 };
var FIRST_LETTER = 0x3e; // '>': the first of 61 characters that JSON does not escape, except the backslash
var BACKSLASH = 0x5c;

var config = JSON.parse(process.argv[2]);
/** It lies beside the folders of the libraries. */
var payloads = require(path.join(path.dirname(config.adapter), '..', 'payloads.cjs'));
var waiting = null; // the message sent but not yet answered
var timer = null;
var isTold = false;
var handle;

/** @param {{type: string, bytes: number}} wanted */
function createMessage(wanted) {
  var message = Buffer.alloc ? Buffer.alloc(wanted.bytes) : new Buffer(wanted.bytes);
  for (var i = 0; i < wanted.bytes; i++) message[i] = wanted.type === 'text' ? letterAt(i) : i % PERIOD_B.binary;
  return wanted.type === 'text' ? message.toString() : message;
}

/** @param {number} index */
function letterAt(index) {
  var letter = FIRST_LETTER + index % PERIOD_B.text;
  return letter === BACKSLASH ? FIRST_LETTER : letter;
}

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
  waiting = { sent: createMessage(wanted), name: wanted.type + ' of ' + wanted.bytes + ' B' };
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
