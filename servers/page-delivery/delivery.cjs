'use strict';

// The mechanism of the thesis's framework, Cornerstone (section 4.1): the data of pages are promises, sessions map to connections, and a
// one-off listener passes each result to the waiting connection. ES5, for Node 0.10.28. The caller provides promises and connections.
// routes.cjs answers HTTP.

var EventEmitter = require('events').EventEmitter;
var crypto = require('crypto');
var accounts = require('./accounts.cjs');

/** How long to wait for a page to connect, and to keep its timestamps. Ample: 1,024 requests of 2 s, 6 at a time, take 342 s. */
var KEPT_MS = 1800000;

/**
 * One load of a page: its name, its session, and the times of its events (`marks`, µs of CLOCK_MONOTONIC).
 * @typedef {{load: string, session: string, isUnclaimed: boolean, marks: Object<string, number>, start_ms: number,
 *   listeners: function[]}} Visit
 */
/**
 * One result for a page, with the load that it was made for.
 * @typedef {{load: string, key: string, value: *}} Result
 */
/**
 * A page's connection, over any transport.
 * @typedef {{session: string, load: string, send: function(Result), fail: function(Error)}} Connection
 */

/** @constructor */
function Delivery() {
  /** @type {Object<string, Visit>} */
  this.visits = Object.create(null); // names come from clients
  /** @type {Object<string, Connection[]>} connections by session */
  this.sessions = Object.create(null);
  this.connections = new EventEmitter();
  this.connections.setMaxListeners(0); // one per pending promise
}

function newId() {
  return crypto.randomBytes(12).toString('hex');
}

/**
 * Records that a page was requested.
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

// Stops waiting for a page that never connected. Another visit may have the same name by now.
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
 * Finds a session's visit. If a browser opens two pages at once, both requests have no cookie, and the browser keeps only the cookie of
 * the later answer. So a page requested without load and cookie belongs to the first session that names its load: this server made the
 * name, and only that page knows it.
 * @param {string} [load] @param {string} [session] @returns {Visit|undefined} undefined if it is not this session's
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
 * client is the same client that is waiting for data." A session may have several pages open, so the test includes the page's load.
 */
Delivery.prototype.sendWhenConnected = function (visit, key, promise) {
  var connections = this.connections;
  function listener(connection) {
    if (connection.session !== visit.session || connection.load !== visit.load) return;
    connections.removeListener('connection', listener);
    visit.listeners.splice(visit.listeners.indexOf(listener), 1); // otherwise its result would stay in memory as long as the visit
    promise.then(function (value) { connection.send({ load: visit.load, key: key, value: value }); }).then(null, connection.fail);
  }
  connections.on('connection', listener);
  visit.listeners.push(listener);
};

/**
 * Adds a page's connection to its session, and sends it the results.
 * @param {Connection} connection
 * @returns {boolean} whether this page was served to this session
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
