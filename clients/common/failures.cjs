'use strict';

// Decides whether a failure was local or remote. Each library wraps the system's error in its own way.

// Errors of the client's own host (CONTRACT.md, Records). The server or the network causes all others.
var LOCAL = /\b(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)\b/;

// Where libraries keep the cause: ws in `error`, engine.io in `description` and `context`, XMLHttpRequest in `statusText`.
var INNER = ['error', 'description', 'context', 'statusText', 'data', 'cause'];
var DEPTH = 4;

/**
 * Finds the error of the operating system inside the error of a library.
 * @param {*} error
 * @returns {string} its text, with the system's error code if there is one
 */
function describe(error) {
  return findCause(error, DEPTH) || textOf(error) || 'no reason given';
}

/**
 * @param {any} error
 * @param {number} depth how many levels deeper to look
 * @returns {string} empty if there is none
 */
function findCause(error, depth) {
  if (error === null || error === undefined || depth === 0) return '';
  if (typeof error !== 'object') return /\bE[A-Z]{3,}\b/.test(String(error)) ? String(error) : '';
  if (typeof error.code === 'string') return textOf(error);
  for (var i = 0; i < INNER.length; i++) {
    var found = findCause(error[INNER[i]], depth - 1);
    if (found) return found;
  }
  return findCause(error.message, 1);
}

/**
 * @param {any} error
 * @returns {string}
 */
function textOf(error) {
  if (error === null || error === undefined) return '';
  if (typeof error !== 'object') return String(error);
  var text = String(error.message || error.type || error.code || error);
  return typeof error.code === 'string' && text.indexOf(error.code) < 0 ? error.code + ' ' + text : text;
}

/**
 * @param {string} description as from describe
 * @returns {boolean} whether the client's own host refused
 */
function isLocal(description) {
  return LOCAL.test(description);
}

exports.describe = describe;
exports.isLocal = isLocal;
