'use strict';

// A database that speaks MongoDB's protocol, as a process of the server. It says `ready mongodb://…`, and ends when its standard input
// does: with the server, however that ends. ES5, for Node 0.10.28.

var spawn = require('child_process').spawn;
var contract = require('../contract.cjs');

/** Those that were started, to be stopped before the server is. */
var pids = [];
var isStopping = false;

/**
 * @param {string} where the server's name, for the error
 * @param {string[]} argv
 * @param {string} folder in which it runs
 * @param {function(string, number)} onReady gets the database's address and its pid; called once
 */
exports.startDatabase = function startDatabase(where, argv, folder, onReady) {
  var child = spawn(argv[0], argv.slice(1), { cwd: folder, stdio: ['pipe', 'pipe', process.stderr] });
  var said = '';
  var isReady = false;
  if (child.pid) pids.push(child.pid);
  child.on('error', fail);
  child.on('exit', function (code, signal) { fail(new Error('the database ended (' + (signal || 'code ' + code) + ')')); });
  child.stdin.on('error', function () {}); // its end is told by `exit`
  child.stdout.on('data', function (data) {
    said += data;
    var found = /^ready (\S+)\n/m.exec(said);
    if (!found || isReady) return;
    isReady = true;
    onReady(found[1], child.pid);
  });

  function fail(error) {
    if (!isStopping) contract.failWith(where, error);
  }
};

/** What a server does when it is asked to stop. */
exports.stopDatabases = function stopDatabases() {
  isStopping = true;
  contract.stopWith(pids);
};
