'use strict';

// Receives files from the library `delivery` as listing A.3 of the thesis does: one listener per connection.

/**
 * Passes the first file of each ping to `on.reply`, and further files of the same ping to `on.extra`.
 *
 * In `file-listed` (listing A.4) every listener of the server answers the handshake of every ping. Ping k therefore brings k
 * files, or more if later pings overtook its handshake. The server begins a handshake for each listener it adds, and sends the
 * files of one handshake at once. So the handshakes begun before the first file say how many files will come. In `file` there
 * are no handshakes, and each file is an answer.
 * @param {any} library `delivery`, from the folder of the client library
 * @param {any} socket
 * @param {{reply: (content: Buffer) => void, extra: (content: Buffer) => void}} on
 */
exports.receiveFiles = function receiveFiles(library, socket, on) {
  var delivery = library.listen(socket);
  var listeners = 0; // the server's, on this connection
  var left = 0; // files still to come for the last answered ping
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
 * The library keeps two references to every file received, which would fill the memory: nothing here stores the files.
 * The library stores this file again after this call, but it is empty by then.
 * @param {any} delivery
 * @param {any} file
 */
function forget(delivery, file) {
  delivery.receiving = {};
  file.buffer = file.data = null;
}
