'use strict';

/**
 * Adds to an error of engine.io-client 1.x the request that failed, as engine.io-client 6 does: only there stands what the
 * operating system said.
 * @param {object} socket of engine.io-client
 * @param {*} error as that socket emitted it
 * @returns {*} the same error
 */
exports.addCause = function addCause(socket, error) {
  var transport = socket.transport || {};
  var failed = [transport.pollXhr, transport.sendXhr].filter(hasFailed)[0];
  if (failed && error && typeof error === 'object') error.context = failed.xhr;
  return error;
};

// xmlhttprequest puts the error of the operating system where a status text should be.
function hasFailed(request) {
  return request && request.xhr && request.xhr.statusText instanceof Error;
}
