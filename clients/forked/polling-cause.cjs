'use strict';

/**
 * Adds the failed request to an error of engine.io-client 1.x, as engine.io-client 6 does. Only the request holds the error of
 * the operating system.
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

// xmlhttprequest stores the error of the operating system in statusText.
function hasFailed(request) {
  return request && request.xhr && request.xhr.statusText instanceof Error;
}
