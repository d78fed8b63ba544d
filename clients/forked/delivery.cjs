'use strict';

// Receives files sent by the library `delivery`, as listing A.3 of the thesis does: one listener a connection.

/**
 * Gives what arrives to `on.reply` when it answers a ping, and to `on.extra` when it came beside such an answer.
 *
 * In `file-listed` (listing A.4) every listener of the server answers the handshake of every ping, so that ping k brings k files
 * or, when later pings overtook its handshake, more. The server begins a handshake for each listener it adds, and sends
 * the files of one handshake at once: those that began before the first of them arrived tell how many there will be. In `file` there are
 * no handshakes, and each file is an answer.
 * @param {any} library `delivery`, as the folder of the client library has it
 * @param {any} socket
 * @param {{reply: (content: Buffer) => void, extra: (content: Buffer) => void}} on
 */
exports.receiveFiles = function receiveFiles(library, socket, on) {
  var delivery = library.listen(socket);
  var listeners = 0; // of the server, on this connection
  var left = 0; // files to come of the ping answered last
  delivery.on('delivery.connect', function () { listeners++; });
  delivery.on('receive.success', function (/** @type {any} */ file) {
    var content = file.buffer;
    var isAnswer = left === 0;
    left = isAnswer ? Math.max(listeners, 1) - 1 : left - 1;
    forget(delivery, file);
    if (isAnswer) on.reply(content);
    else on.extra(content);
  });
};

/**
 * The library keeps all that was ever received, twice; here it is not stored, and would fill the memory. This file is kept after
 * this, but empty.
 * @param {any} delivery
 * @param {any} file
 */
function forget(delivery, file) {
  delivery.receiving = {};
  file.buffer = file.data = null;
}
