'use strict';

// The parts of CONTRACT.md that all servers for Node share, so that each engine's own file stays small.
// ES5: it runs on Node 0.10.28 (the 2014 stack) and on current Node. Nothing here runs per message, except the answers.

var fs = require('fs');
var http = require('http');
var https = require('https');
var net = require('net');
var path = require('path');
var readEngine = require('./engine-toml.cjs').readEngine;

var EXIT = { stopped: 0, settings: 64, behaviour: 69, internal: 70, system: 71 };

// The same limits for all engines (CONTRACT.md, Configuration).
var MESSAGE_MAX_B = 100 * 1024 * 1024;
var UNSENT_MAX_B = 16 * 1024 * 1024;

// Less than 5 s: by then all processes must be gone.
var STOP_PATIENCE_MS = 4000;

// Maximum length of a path in sockaddr_un on Linux, without the final NUL: unix(7).
var SOCKET_PATH_MAX_B = 107;

// Codes of errors where the operating system refused, as opposed to errors of the program.
var SYSTEM_CODES = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'ENOSPC'];

/**
 * Ends the process as the contract says, with one line on standard error.
 * @param {number} code one of EXIT
 * @param {string} where
 * @param {string} what was wrong, with the value
 * @param {string} next step
 */
function fail(code, where, what, next) {
  process.stderr.write('error: ' + where + ': ' + what + '; ' + next + '\n');
  process.exit(code);
}

/**
 * Ends the process for an error: 71 if the operating system refused something, else 70.
 * WSCALE_TRACE=1 prints its stack first.
 * @param {string} where
 * @param {Error} error
 */
function failWith(where, error) {
  if (process.env.WSCALE_TRACE) process.stderr.write(error.stack + '\n');
  var message = String(error && error.message || error).replace(/\s*\n\s*/g, ' ');
  if (SYSTEM_CODES.indexOf(error && error.code) >= 0) fail(EXIT.system, where, message, 'free it, or ask for less or another');
  fail(EXIT.internal, where, message, 'run it again with WSCALE_TRACE=1 for the stack');
}

/**
 * Ends the process on uncaught errors, SIGTERM and SIGINT, as the contract says.
 * @param {string} where
 * @param {function()} [stop] called on a signal; by default exits with 0 at once, which closes every connection
 */
function guardProcess(where, stop) {
  process.on('uncaughtException', function (error) { failWith(where, error); });
  ['SIGTERM', 'SIGINT'].forEach(function (signal) {
    process.on(signal, function () { (stop || exitAtOnce)(); });
  });
}

function exitAtOnce() {
  process.exit(EXIT.stopped);
}

/**
 * Sends SIGTERM to other processes of this server. Exits with 0 once they are gone, or after STOP_PATIENCE_MS.
 * @param {number[]} pids
 */
function stopWith(pids) {
  pids.forEach(function (pid) { trySignal(pid, 'SIGTERM'); });
  setInterval(function () {
    if (!pids.some(function (pid) { return trySignal(pid, 0); })) exitAtOnce();
  }, 10);
  setTimeout(exitAtOnce, STOP_PATIENCE_MS);
}

// False if the process no longer exists.
function trySignal(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return false;
  }
}

/**
 * Reads and checks the environment variables of CONTRACT.md; ends the process with 64 or 69 if one is wrong.
 * @param {object} engine as read from engine.toml
 * @returns {{host: string, port: number, behaviour: string, runDir: string, memoryDir: string, counts: Object<string, number>,
 *   options: Object<string, string>}} `counts`: number of processes by role
 */
function readSettings(engine) {
  var settings = {
    host: readVariable(engine, 'WSCALE_HOST', 'an IP address', net.isIP),
    port: +readVariable(engine, 'WSCALE_PORT', 'a port from 1 to 65535', isWithin(1, 65535)),
    runDir: readVariable(engine, 'WSCALE_RUN_DIR', 'an existing folder', isFolder),
    memoryDir: process.env.WSCALE_MEMORY_DIR || process.env.WSCALE_RUN_DIR,
    counts: {},
    options: {}
  };
  Object.keys(engine.roles).forEach(function (role) {
    var bounds = engine.roles[role];
    var wanted = 'a whole number from ' + bounds.min + ' to ' + bounds.max;
    settings.counts[role] = +readVariable(engine, variableOf(role) + 'S', wanted, isWithin(bounds.min, bounds.max));
  });
  Object.keys(engine.options).forEach(function (option) {
    var values = engine.options[option].values;
    settings.options[option] = readVariable(engine, variableOf('option_' + option), 'one of ' + values.join(', '), isOneOf(values));
  });
  settings.behaviour = readBehaviour(engine);
  return settings;
}

function readVariable(engine, name, wanted, isRight) {
  var value = process.env[name];
  if (value === undefined || value === '') fail(EXIT.settings, engine.name, name + ' is not set', 'set it to ' + wanted);
  if (!isRight(value)) fail(EXIT.settings, engine.name, name + ' is "' + value + '"', 'set it to ' + wanted);
  return value;
}

function readBehaviour(engine) {
  var behaviour = readVariable(engine, 'WSCALE_BEHAVIOUR', 'one of ' + engine.behaviours.join(', '), Boolean);
  if (engine.behaviours.indexOf(behaviour) < 0) {
    fail(EXIT.behaviour, engine.name, 'behaviour "' + behaviour + '" is not supported', 'use one of ' + engine.behaviours.join(', '));
  }
  return behaviour;
}

function variableOf(name) {
  return 'WSCALE_' + name.toUpperCase().replace(/-/g, '_');
}

function isWithin(min, max) {
  return function (value) { return /^\d+$/.test(value) && +value >= min && +value <= max; };
}

function isOneOf(values) {
  return function (value) { return values.indexOf(value) >= 0; };
}

function isFolder(value) {
  return fs.existsSync(value) && fs.statSync(value).isDirectory();
}

/**
 * Ends the process with 64 if the run folder's path is too long for a UNIX socket. (Node 0.10 silently truncates the path.)
 * @param {{engine: object, settings: object}} begun
 * @param {string} longest the longest name of a socket in the run folder
 */
function refuseLongRunDir(begun, longest) {
  if (Buffer.byteLength(path.join(begun.settings.runDir, longest)) <= SOCKET_PATH_MAX_B) return;
  fail(EXIT.settings, begun.engine.name, 'WSCALE_RUN_DIR is "' + begun.settings.runDir + '", too long for a UNIX socket in it',
    'set it to a folder with a shorter path');
}

/**
 * Prints the `ready` line: every process accepts connections.
 * @param {object} engine as read from engine.toml
 * @param {number} port TCP port that clients connect to
 * @param {{pid: number, role: string, index: number}[]} processes
 */
function printReady(engine, port, processes) {
  var report = { engine: engine.name, version: engine.version, port: port, processes: processes };
  process.stdout.write('ready ' + JSON.stringify(report) + '\n');
}

/**
 * Initialises a server's first process: guards it, reads engine.toml and the environment.
 * @param {string} folder of the server
 * @param {function()} [stop] as in guardProcess
 * @returns {{engine: object, settings: object}}
 */
function begin(folder, stop) {
  guardProcess(path.basename(folder), stop);
  var engine = readEngine(folder);
  return { engine: engine, settings: readSettings(engine) };
}

/**
 * Runs a server with one process, of role `worker`, on its own HTTP server.
 * @param {string} folder of the server
 * @param {Object<string, function(object)>} behaviours by name: called with each connection
 * @param {function(http.Server, function(object), object)} attach attaches the engine to the HTTP server, with the chosen behaviour
 *   and the settings
 * @param {function(object, object)} [pages] answers HTTP requests in the behaviour `pages`: see pages.cjs
 */
function serve(folder, behaviours, attach, pages) {
  var begun = begin(folder);
  var settings = begun.settings;
  createServer(begun, behaviours, attach, pages).listen(settings.port, settings.host, function () {
    printReady(begun.engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
  });
}

/**
 * Makes the HTTP server of one worker, with the engine attached; parameters as in `serve`.
 * @param {{engine: object, settings: object}} begun
 * @returns {http.Server} not yet listening
 */
function createServer(begun, behaviours, attach, pages) {
  var behaviour = begun.settings.behaviour;
  var answer = behaviour === 'pages' ? pages : answerNotFound;
  var tls = readTls(begun.settings);
  var server = tls ? https.createServer(tls, answer) : http.createServer(answer);
  server.on('error', failToListen(begun.engine.name, begun.settings)); // before the engine adds its own listener
  attach(server, behaviours[behaviour], begun.settings);
  return server;
}

/**
 * Reads key and certificate for the option `tls` (CONTRACT.md, TLS).
 * @param {{runDir: string, options: Object<string, string>}} settings
 * @returns {{key: Buffer, cert: Buffer}|undefined} undefined without TLS
 */
function readTls(settings) {
  if (!settings.options.tls || settings.options.tls === 'none') return undefined;
  var folder = path.join(settings.runDir, 'tls');
  return { key: fs.readFileSync(path.join(folder, 'key.pem')), cert: fs.readFileSync(path.join(folder, 'cert.pem')) };
}

/**
 * Makes a listener for errors of a listening server. It ends the process and names the address, which Node 0.10 omits.
 * @param {string} where
 * @param {{host: string, port: number}} settings
 * @returns {function(Error)}
 */
function failToListen(where, settings) {
  return function (error) {
    error.message = 'cannot listen on ' + settings.host + ':' + settings.port + ' (' + error.code + ')';
    failWith(where, error);
  };
}

// Answers requests that the engine does not handle.
function answerNotFound(request, response) {
  response.writeHead(404);
  response.end();
}

/**
 * Makes the `pingpong` for dialects without events (CONTRACT.md, Behaviours). It counts the pings of this process, as in
 * listing A.2 of the thesis.
 * @returns {function(string|Buffer): (string|undefined)} takes a message and returns its answer, undefined if it is no ping
 */
function createPingCounter() {
  var count = 0;
  return function answer(text) {
    var message = parseEvent(text);
    if (message && message.event === 'ping') return JSON.stringify({ event: 'pong', data: ++count });
  };
}

/**
 * The `json-ping` of the dialect `websocket` (CONTRACT.md, Behaviours): the exchange in the slides on the Go infrastructure,
 * with the time of this server's clock.
 * @param {string|Buffer} text
 * @returns {string|undefined} the answer to a message, undefined if it is no ping
 */
function answerJsonPing(text) {
  var message = parseEvent(text);
  if (message && message.data === 'ping') return JSON.stringify({ data: 'pong', timestamp: Math.floor(Date.now() / 1000) });
}

// A separate function: the V8 of Node 0.10 does not optimise functions with a `try`.
function parseEvent(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return undefined; // not this dialect: do not answer, but do not fail either
  }
}

exports.EXIT = EXIT;
exports.MESSAGE_MAX_B = MESSAGE_MAX_B;
exports.UNSENT_MAX_B = UNSENT_MAX_B;
exports.answerJsonPing = answerJsonPing;
exports.answerNotFound = answerNotFound;
exports.begin = begin;
exports.createPingCounter = createPingCounter;
exports.createServer = createServer;
exports.fail = fail;
exports.failToListen = failToListen;
exports.failWith = failWith;
exports.guardProcess = guardProcess;
exports.printReady = printReady;
exports.readTls = readTls;
exports.refuseLongRunDir = refuseLongRunDir;
exports.serve = serve;
exports.stopWith = stopWith;
