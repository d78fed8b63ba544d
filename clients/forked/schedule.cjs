// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// One schedule for all connections of a process: a binary heap of (time, id), so that one timer serves thousands of them.
// Open loop: what is overdue is visited at once, however much it is.

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
 * Visits in order of time every entry due by `now_us`. The visitor returns when the same id is due again, Infinity for
 * never; it must not push.
 * @param {number} now_us
 * @param {function(number, number): number} visit is given the id and the time it was due
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

/** Puts an entry in the place of the first one and lets it sink to where it belongs. */
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
