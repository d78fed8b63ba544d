'use strict';

// The processes of a server: starts them role by role, replaces those that die, and stops all together.

var contract = require('./contract.cjs');

// Processes still alive this long after SIGTERM are killed, so that all are gone within the contract's 5 s.
var PATIENCE_MS = 3000;

/**
 * @returns {{add: function, children: function, list: function, stop: function}}
 */
// eslint-disable-next-line max-lines-per-function -- a closure is how ES5 hides state; each function in it is short
module.exports = function createCrew() {
  var members = [];
  var whenAllAccept;
  var exitCode = null; // a number once the crew is stopping

  /**
   * Starts the members `first` to `last` of a role. A member sends {event: 'listening'} once it accepts.
   * @param {string} role
   * @param {number} first
   * @param {number} last
   * @param {function(number): ChildProcess} start
   * @param {function()} done called once all members of all roles accept; for the last role added, also each time a replacement
   *   makes this true again
   */
  function add(role, first, last, start, done) {
    whenAllAccept = done;
    for (var index = first; index <= last; index++) {
      members.push({ role: role, index: index, start: start, accepts: false });
      launch(members[members.length - 1]);
    }
    if (first > last) done();
  }

  function launch(member) {
    var child = member.child = member.start(member.index);
    child.on('message', function (message) {
      if (message.event === 'listening') welcome(member);
    });
    child.on('error', function (error) {
      if (!child.pid) contract.failWith(member.role, error); // a child with a pid dies, and `exit` follows
    });
    child.on('exit', function (code) { replace(member, code); });
  }

  function welcome(member) {
    member.accepts = true;
    if (exitCode === null && members.every(isAccepting)) whenAllAccept();
  }

  // Stops if a member refused to start (it said why on standard error): a replacement would refuse too.
  function replace(member, code) {
    var refused = !member.accepts && code >= contract.EXIT.settings;
    member.accepts = false;
    member.child = null;
    if (exitCode !== null) return exitIfAlone();
    if (refused) return stop(code);
    launch(member);
  }

  function isAccepting(member) {
    return member.accepts;
  }

  /** Stops all members, then exits with `code`, 0 by default. */
  function stop(code) {
    if (exitCode !== null) return;
    exitCode = code || contract.EXIT.stopped;
    signalAll('SIGTERM');
    setTimeout(signalAll.bind(null, 'SIGKILL'), PATIENCE_MS);
    exitIfAlone();
  }

  function signalAll(signal) {
    members.forEach(function (member) {
      if (member.child) member.child.kill(signal);
    });
  }

  function exitIfAlone() {
    if (!members.some(function (member) { return member.child; })) process.exit(exitCode);
  }

  /** The accepting children of a role. */
  function children(role) {
    return members.filter(function (member) {
      return member.role === role && member.accepts && member.child.connected;
    }).map(function (member) { return member.child; });
  }

  /** All members, in the form of the `ready` line. */
  function list() {
    return members.map(function (member) {
      return { pid: member.child.pid, role: member.role, index: member.index };
    });
  }

  return { add: add, children: children, list: list, stop: stop };
};
