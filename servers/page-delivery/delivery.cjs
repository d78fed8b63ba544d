'use strict';

// The source's mechanism, which its framework Cornerstone had (section 4.1): pages whose data are promises, the mapping between sessions
// and connections, and the one-off listener by which a result goes to the connection that waits for it. ES5, for Node 0.10.28; whoever
// uses it brings the promises and the connections. routes.cjs answers HTTP.

var EventEmitter = require('events').EventEmitter;
var crypto = require('crypto');
var accounts = require('./accounts.cjs');

/** For so long a page that never connects is waited for, and its marks are kept: 1,024 requests of 2 s, six at a time, take 342 s. */
var KEPT_MS = 1800000;

/**
 * One load of a page: what was asked, by whom, and when what happened to it (µs of CLOCK_MONOTONIC).
 * @typedef {{load: string, session: string, isUnclaimed: boolean, marks: Object<string, number>, start_ms: number,
 *   listeners: function[]}} Visit
 */
/**
 * What is sent to a page: for which load it was made, whatever connection it takes.
 * @typedef {{load: string, key: string, value: *}} Result
 */
/**
 * A page's connection, of whatever transport.
 * @typedef {{session: string, load: string, send: function(Result), fail: function(Error)}} Connection
 */

/** @constructor */
function Delivery() {
  /** @type {Object<string, Visit>} */
  this.visits = {};
  /** @type {Object<string, Connection[]>} those of a session; a connection knows its own */
  this.sessions = {};
  this.connections = new EventEmitter();
  this.connections.setMaxListeners(0); // one a promise that waits
}

function newId() {
  return crypto.randomBytes(12).toString('hex');
}

/**
 * A page was asked for.
 * @param {string} [load] @param {string} [session] @param {{mono_us: number, wall_ms: number}} received @returns {Visit}
 */
Delivery.prototype.open = function (load, session, received) {
  var visit = {
    load: load || newId(), session: session || newId(), isUnclaimed: !load && !session, start_ms: received.wall_ms,
    marks: { received_us: received.mono_us }, listeners: []
  };
  this.visits[visit.load] = visit;
  setTimeout(this.forget.bind(this, visit), KEPT_MS).unref();
  return visit;
};

// A page that never connected waits no longer. Another visit may have its name by now.
Delivery.prototype.forget = function (visit) {
  var connections = this.connections;
  visit.listeners.forEach(function (listener) { connections.removeListener('connection', listener); });
  if (this.visits[visit.load] === visit) delete this.visits[visit.load];
};

/** @param {string} [load] @returns {Visit|undefined} */
Delivery.prototype.find = function (load) {
  return load && Object.keys(this.visits).indexOf(load) >= 0 ? this.visits[load] : undefined;
};

/**
 * Two pages that one browser opens at once both come without a cookie, and it keeps that of the later answer alone. So a page that came
 * without one, and whose name is of this server's making and known to it alone, is whose who comes first with that name.
 * @param {string} [load] @param {string} [session] @returns {Visit|undefined} where it is this session's
 */
Delivery.prototype.claim = function (load, session) {
  var visit = this.find(load);
  if (!visit || !session || (visit.session !== session && !visit.isUnclaimed)) return undefined;
  visit.session = session;
  visit.isUnclaimed = false;
  return visit;
};

Delivery.prototype.mark = function (visit, name) {
  visit.marks[name] = accounts.readClock_us();
};

/**
 * Section 4.1: "For each promise, the web server binds a one-off listener for WebSocket connections, which tests for whether the connected
 * client is the same client that is waiting for data." A session may have several pages open: which page it is, is part of the test.
 */
Delivery.prototype.sendWhenConnected = function (visit, key, promise) {
  var connections = this.connections;
  function listener(connection) {
    if (connection.session !== visit.session || connection.load !== visit.load) return;
    connections.removeListener('connection', listener);
    visit.listeners.splice(visit.listeners.indexOf(listener), 1); // or its result would be kept as long as the visit
    promise.then(function (value) { connection.send({ load: visit.load, key: key, value: value }); }).then(null, connection.fail);
  }
  connections.on('connection', listener);
  visit.listeners.push(listener);
};

/**
 * A page has connected: from here on its session leads to it, and it to its session.
 * @param {Connection} connection
 * @returns {boolean} whether that page was served, and to that session
 */
Delivery.prototype.connect = function (connection) {
  var visit = this.claim(connection.load, connection.session);
  if (!visit) return false;
  this.mark(visit, 'connected_us');
  this.sessions[connection.session] = this.connectionsOf(connection.session).concat(connection);
  this.connections.emit('connection', connection);
  return true;
};

/** @param {Connection} connection */
Delivery.prototype.disconnect = function (connection) {
  var left = this.connectionsOf(connection.session).filter(function (other) { return other !== connection; });
  if (left.length) this.sessions[connection.session] = left;
  else delete this.sessions[connection.session];
};

/** @param {string} session @returns {Connection[]} */
Delivery.prototype.connectionsOf = function (session) {
  return this.sessions[session] || [];
};

exports.Delivery = Delivery;
exports.KEPT_MS = KEPT_MS;
