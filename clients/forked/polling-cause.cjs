'use strict';

/**
 * Adds to an error of engine.io-client 1.x the request that failed, as engine.io-client 6 does: only there stands what the
 * operating system said.
 * @param {object} socket of engine.io-client
 * @param {*} error as that socket emitted it
 * @returns {*} the same error
 */
exports.addCause = function addCause(socket, error) {
  var poll = socket.transport && socket.transport.pollXhr;
  if (poll && poll.xhr && error && typeof error === 'object') error.context = poll.xhr;
  return error;
};
