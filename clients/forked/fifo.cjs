// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// The unanswered messages of one connection. Answers are matched first in, first out (CONTRACT.md, Records).

var COMPACT_AT = 1024;

function Fifo() {
  this.times = []; // intended and actual times, alternating
  this.head = 0;
  this.intended_us = 0; // of the message last taken
  this.actual_us = 0;
}

/**
 * @param {number} intended_us
 * @param {number} actual_us
 */
Fifo.prototype.push = function (intended_us, actual_us) {
  this.times.push(intended_us, actual_us);
};

/**
 * Takes the oldest message and puts its times into `intended_us` and `actual_us`, to avoid allocating an object.
 * @returns {boolean} whether there was one
 */
Fifo.prototype.take = function () {
  if (this.head === this.times.length) return false;
  this.intended_us = this.times[this.head];
  this.actual_us = this.times[this.head + 1];
  this.head += 2;
  if (this.head === this.times.length) this.clear();
  else if (this.head === COMPACT_AT) this.compact();
  return true;
};

Fifo.prototype.clear = function () {
  this.times.length = 0;
  this.head = 0;
};

Fifo.prototype.compact = function () {
  this.times = this.times.slice(this.head);
  this.head = 0;
};

module.exports = Fifo;
