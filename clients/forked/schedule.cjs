// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// One schedule for all connections of a process: a binary heap of (time, id), so that one timer serves thousands of connections.
// Open loop: all overdue entries are visited at once, however many there are.

function Schedule() {
  this.times = [];
  this.ids = [];
}

/**
 * @param {number} time_us
 * @param {number} id
 */
Schedule.prototype.push = function (time_us, id) {
  this.times.push(time_us);
  this.ids.push(id);
  this.rise(this.times.length - 1, time_us, id);
};

/**
 * @returns {number} time of the next entry in µs, Infinity if there is none
 */
Schedule.prototype.next = function () {
  return this.times.length ? this.times[0] : Infinity;
};

/**
 * Visits every entry due by `now_us`, in order of time. The visitor returns the time when the same id is due again, or Infinity
 * for never. It must not push.
 * @param {number} now_us
 * @param {function(number, number): number} visit takes the id and the time it was due
 */
Schedule.prototype.runDue = function (now_us, visit) {
  while (this.times.length && this.times[0] <= now_us) {
    var id = this.ids[0];
    var again_us = visit(id, this.times[0]);
    if (again_us < Infinity) this.sink(again_us, id);
    else this.removeFirst();
  }
};

Schedule.prototype.removeFirst = function () {
  var time = this.times.pop();
  var id = this.ids.pop();
  if (this.times.length) this.sink(time, id);
};

Schedule.prototype.rise = function (at, time, id) {
  while (at > 0) {
    var parent = (at - 1) >> 1;
    if (this.times[parent] <= time) break;
    this.put(at, this.times[parent], this.ids[parent]);
    at = parent;
  }
  this.put(at, time, id);
};

/** Replaces the first entry and restores the order of the heap. */
Schedule.prototype.sink = function (time, id) {
  var times = this.times;
  var length = times.length;
  var at = 0;
  for (var child = 1; child < length; child = 2 * at + 1) {
    if (child + 1 < length && times[child + 1] < times[child]) child++;
    if (times[child] >= time) break;
    this.put(at, times[child], this.ids[child]);
    at = child;
  }
  this.put(at, time, id);
};

Schedule.prototype.put = function (at, time, id) {
  this.times[at] = time;
  this.ids[at] = id;
};

module.exports = Schedule;
