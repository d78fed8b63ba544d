// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// One connection: it opens, sends, matches its answers and closes. It records each of these.

var Fifo = require('./fifo.cjs');
var failures = require('../common/failures.cjs');
var payloads = require('./payloads.cjs');
var KIND = require('../common/records.cjs').KIND;

var WAITING = 0;
var CONNECTING = 1;
var OPEN = 2;
var GONE = 3;

/**
 * @param {object} load shared by all connections of a process: see driver.cjs
 * @param {number} index counted from 0 over all processes
 */
function Connection(load, index) {
  this.load = load;
  this.payload = load.payloadOf && load.payloadOf(index);
  this.state = WAITING;
  this.handle = null;
  this.changed_us = 0; // when connect was called, then when it opened
  this.last_error = null;
  this.lostRemotely = false; // then unsent messages are not the generator's fault
  this.out = new Fifo();
  this.count = 0; // the worker's count in its last answer: the next one must be higher
}

/** @returns {boolean} whether it has yet to connect */
Connection.prototype.isWaiting = function () {
  return this.state === WAITING;
};

Connection.prototype.connect = function () {
  var self = this;
  var load = this.load;
  this.state = CONNECTING;
  this.changed_us = load.clock();
  try {
    this.handle = load.adapter.connect(load.url, load.settings, {
      open: function () { self.onOpen(); },
      reply: function (data) { self.onReply(data); },
      extra: function (data) { self.onExtra(data); },
      error: function (error) { self.onError(error); },
      close: function (reason) { self.onClose(reason); }
    });
  } catch (error) {
    this.onError(error);
  }
};

Connection.prototype.onOpen = function () {
  if (this.state === GONE) this.handle.close(); // we gave it up already: nothing would count it
  if (this.state !== CONNECTING) return;
  var now_us = this.load.clock();
  this.load.records.add(KIND.OPENED, 0, this.changed_us, now_us, 0);
  this.state = OPEN;
  this.changed_us = now_us;
  for (var i = 0; i < this.load.outstanding && now_us < this.load.end_us; i++) this.send(now_us);
};

/**
 * Sends the message due at `intended_us`, or records that it could not.
 * @param {number} intended_us
 */
Connection.prototype.send = function (intended_us) {
  var load = this.load;
  if (this.state !== OPEN) return load.records.add(KIND.UNSENT, this.lostRemotely ? 1 : 0, intended_us, 0, 0);
  this.out.push(intended_us, load.clock());
  load.in_flight++;
  if (load.payloadOf) this.handle.echo(this.payload);
  else this.handle.ping();
};

Connection.prototype.onReply = function (data) {
  if (this.state === GONE) return; // its message counts as missing
  var load = this.load;
  var now_us = load.clock();
  var size_b = payloads.sizeOf(data);
  if (!this.out.take()) return load.records.add(KIND.STRAY, size_b, now_us, 0, 0);
  load.records.add(this.isRight(data) ? KIND.ANSWERED : KIND.WRONG, size_b, this.out.intended_us, this.out.actual_us, now_us);
  load.in_flight--;
  if (load.outstanding && now_us < load.end_us) this.send(now_us);
};

Connection.prototype.isRight = function (data) {
  var load = this.load;
  if (load.payloadOf) return payloads.isEcho(this.payload, data);
  if (load.file_b) return payloads.isFile(load.file_b, data);
  var last = this.count;
  this.count = data;
  return payloads.isCountAbove(last, data);
};

/** Handles a further file for a ping that already has its answer: no message waits for it. */
Connection.prototype.onExtra = function (data) {
  if (this.state === GONE) return;
  var kind = this.isRight(data) ? KIND.EXTRA : KIND.STRAY;
  this.load.records.add(kind, payloads.sizeOf(data), this.load.clock(), 0, 0);
};

// Does not end an open connection: only its close does.
Connection.prototype.onError = function (error) {
  if (this.state === GONE) return;
  this.last_error = failures.describe(error);
  this.load.errors.add(this.last_error);
  if (this.state === CONNECTING) this.giveUp(this.last_error);
};

Connection.prototype.onClose = function (reason) {
  if (this.state === GONE) return;
  var description = this.last_error || 'closed: ' + failures.describe(reason);
  if (!this.last_error) this.load.errors.add(description);
  if (this.state === CONNECTING) this.giveUp(description);
  else this.drop(description);
};

Connection.prototype.giveUp = function (description) {
  this.lostRemotely = !failures.isLocal(description);
  var kind = this.lostRemotely ? KIND.FAILED_REMOTE : KIND.FAILED_LOCAL;
  this.load.records.add(kind, 0, this.changed_us, this.load.clock(), 0);
  this.state = GONE;
};

Connection.prototype.drop = function (description) {
  this.lostRemotely = !failures.isLocal(description);
  var kind = this.lostRemotely ? KIND.DROPPED_REMOTE : KIND.DROPPED_LOCAL;
  this.load.records.add(kind, 0, this.changed_us, this.load.clock(), 0);
  this.state = GONE;
  this.loseAnswers();
};

Connection.prototype.loseAnswers = function () {
  while (this.out.take()) {
    this.load.records.add(KIND.MISSING, 0, this.out.intended_us, this.out.actual_us, 0);
    this.load.in_flight--;
  }
};

/** Ends it when the drain is over. */
Connection.prototype.finish = function () {
  var wasOpen = this.state === OPEN;
  if (this.state === CONNECTING) this.onError('not connected by the end');
  this.loseAnswers();
  this.state = GONE;
  if (wasOpen) this.handle.close();
};

module.exports = Connection;
