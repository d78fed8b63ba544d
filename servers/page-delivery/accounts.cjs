'use strict';

// A server's clock, and what its processes have used of the CPU by the kernel's accounts (proc(5), schedstat). ES5, for Node 0.10.28.

var fs = require('fs');

/** @returns {number} µs of CLOCK_MONOTONIC */
exports.readClock_us = function readClock_us() {
  var time = process.hrtime();
  return time[0] * 1e6 + Math.round(time[1] / 1e3);
};

/** @param {number} pid @returns {number} ms that its threads ran; 0 when it is gone */
exports.readCpu_ms = function readCpu_ms(pid) {
  var folder = '/proc/' + pid + '/task';
  return listThreads(folder).reduce(function (sum, thread) { return sum + readThread_ms(folder + '/' + thread + '/schedstat'); }, 0);
};

function listThreads(folder) {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    return []; // the process has ended
  }
}

function readThread_ms(path) {
  try {
    return Number(fs.readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
  } catch (error) {
    return 0; // the thread has ended meanwhile
  }
}
