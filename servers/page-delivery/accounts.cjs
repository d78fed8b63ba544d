'use strict';

// A server's clock, and the CPU time of its processes in the kernel's accounts (proc(5), schedstat). ES5, for Node 0.10.28.

var fs = require('fs');

/** @returns {number} µs of CLOCK_MONOTONIC */
exports.readClock_us = function readClock_us() {
  var time = process.hrtime();
  return time[0] * 1e6 + Math.round(time[1] / 1e3);
};

/** @param {number} pid @returns {number} CPU time of its threads in ms; 0 if it has exited */
exports.readCpu_ms = function readCpu_ms(pid) {
  var folder = '/proc/' + pid + '/task';
  return listThreads(folder).reduce(function (sum, thread) { return sum + readThread_ms(folder + '/' + thread + '/schedstat'); }, 0);
};

function listThreads(folder) {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    return []; // the process has exited
  }
}

function readThread_ms(path) {
  try {
    return Number(fs.readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
  } catch (error) {
    return 0; // the thread has exited
  }
}
