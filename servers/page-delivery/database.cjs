'use strict';

// Runs a database with MongoDB's protocol as a child process. It prints `ready mongodb://…`, and exits at the end of its standard input,
// so it exits with the server, however that ends. ES5, for Node 0.10.28.

var spawn = require('child_process').spawn;
var contract = require('../contract.cjs');

/** Started databases, to be stopped before the server. */
var pids = [];
var isStopping = false;

/**
 * @param {string} where the server's name, for the error
 * @param {string[]} argv
 * @param {string} folder its working directory
 * @param {function(string, number)} onReady called once, with the database's address and pid
 */
exports.startDatabase = function startDatabase(where, argv, folder, onReady) {
  var child = spawn(argv[0], argv.slice(1), { cwd: folder, stdio: ['pipe', 'pipe', process.stderr] });
  var said = '';
  var isReady = false;
  if (child.pid) pids.push(child.pid);
  child.on('error', fail);
  child.on('exit', function (code, signal) { fail(new Error('the database ended (' + (signal || 'code ' + code) + ')')); });
  child.stdin.on('error', function () {}); // `exit` reports its end
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

/** Stops the databases, then the server. */
exports.stopDatabases = function stopDatabases() {
  isStopping = true;
  contract.stopWith(pids);
};
