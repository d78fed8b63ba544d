'use strict';

// The behaviours `file` and `file-listed` of CONTRACT.md, for all engines that have them: the library `delivery` sends files, as in
// section 3.5 of the thesis. ES5: it runs on Node 0.10.28 and on current Node.

var fs = require('fs');
var path = require('path');
var contract = require('./contract.cjs');

var MAX_SIZE_B = 67108864; // 2^26, the most that a client asks for (clients/common/config.js)
var CONTENT_PERIOD = 251; // byte i of the file is i modulo this prime, to notice truncated or shifted content

/** By name: called with each connection. Needs `prepare` first. */
var behaviours = { file: sendFile, 'file-listed': sendFilesAsListed };

var library; // `delivery`, from the engine's own folder
var file; // the file to send, as delivery takes it

/**
 * Writes the file and loads the library, but only for these behaviours: others must not bear the cost.
 * Ends the process with 64 if WSCALE_PAYLOAD_B is missing or invalid.
 * @param {string} folder of the server
 * @returns {Object<string, function(object)>} `behaviours`
 */
function prepare(folder) {
  var size_b = readFileSize(folder);
  if (size_b === null) return behaviours;
  library = require(path.join(folder, 'node_modules', 'delivery'));
  file = { name: 'foo.txt', path: path.join(process.env.WSCALE_RUN_DIR, 'foo-' + process.pid + '.txt') };
  fs.writeFileSync(file.path, createContent(size_b));
  return behaviours;
}

/**
 * Reads and checks the size of the file; ends the process with 64 if it is invalid.
 * @param {string} folder of the server
 * @returns {number|null} bytes, null if the behaviour sends no files
 */
function readFileSize(folder) {
  if (!Object.hasOwnProperty.call(behaviours, process.env.WSCALE_BEHAVIOUR)) return null;
  var text = process.env.WSCALE_PAYLOAD_B;
  if (/^\d+$/.test(text) && +text >= 1 && +text <= MAX_SIZE_B) return +text;
  var what = text ? 'WSCALE_PAYLOAD_B is "' + text + '"' : 'WSCALE_PAYLOAD_B is not set';
  contract.fail(contract.EXIT.settings, path.basename(folder), what, 'set it to a whole number from 1 to ' + MAX_SIZE_B);
}

function createContent(size_b) {
  var content = new Uint8Array(size_b);
  for (var i = 0; i < size_b; i++) content[i] = i % CONTENT_PERIOD;
  return Buffer.from && Buffer.from !== Uint8Array.from ? Buffer.from(content) : new Buffer(content);
}

// What listing A.4 intends: one listener per connection, one file per ping.
function sendFile(socket) {
  var delivery = library.listen(socket);
  socket.on('ping', function () { delivery.send(file); });
}

// Listing A.4 as printed: each ping adds a listener, and each listener of the connection answers the handshake of each ping
// with a file. Ping k sends k files, and their receipts call k * k * (k + 1) / 2 handlers. The listing prints a line in each
// handler; we do not, because standard output is only for `ready`.
function sendFilesAsListed(socket) {
  if (socket.setMaxListeners) socket.setMaxListeners(0); // avoids the warning of a leak, which the listing leaves in the log
  socket.on('ping', function () {
    var delivery = library.listen(socket);
    delivery.connect();
    delivery.on('delivery.connect', function (connected) {
      connected.send(file);
      connected.on('send.success', function () {});
    });
  });
}

exports.behaviours = behaviours;
exports.prepare = prepare;
exports.readFileSize = readFileSize;
