'use strict';

// Shared by stores, workers and balancers.

var path = require('path');
var contract = require('../contract.cjs');

/**
 * Initialises a process started by the master. It exits when the master does.
 * @returns {{engine: object, settings: object, index: number}}
 */
function join() {
  var begun = contract.begin(__dirname);
  process.on('disconnect', function () { process.exit(contract.EXIT.stopped); });
  return { engine: begun.engine, settings: begun.settings, index: +process.env.WSCALE_INDEX };
}

/** Tells the master that this process accepts. */
function tellListening() {
  process.send({ event: 'listening' });
}

/**
 * @param {string} runDir
 * @param {string} role `worker` or `store`
 * @param {number} index
 * @returns {string} the path of the UNIX socket on which it listens
 */
function socketPathOf(runDir, role, index) {
  return path.join(runDir, role + '-' + index);
}

/** @returns {string[]} the paths of all processes of a role, in order */
function socketPathsOf(settings, role) {
  var paths = [];
  for (var index = 1; index <= settings.counts[role]; index++) paths.push(socketPathOf(settings.runDir, role, index));
  return paths;
}

/** Prints a non-fatal error on standard error. */
function warn(where, problem) {
  process.stderr.write('warning: ' + where + ': ' + String(problem && problem.message || problem) + '\n');
}

exports.join = join;
exports.socketPathOf = socketPathOf;
exports.socketPathsOf = socketPathsOf;
exports.tellListening = tellListening;
exports.warn = warn;
