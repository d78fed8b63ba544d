'use strict';

// How a balancer chooses the worker of a new client: the three policies that the balancers of 2014 had in turn, and what the first
// of them corrects. Workers are numbered from 0 here. A policy is a function from a request to a worker; `update` takes the workers'
// client counts.

// May 2014, the README's throughput benchmark: random with correction of bad luck. Drawn are only the workers to which this
// balancer gave no more clients than their share.
function createRandom(workerCount) {
  var given = filled(workerCount, 0);
  var total = 0;
  return function choose() {
    var worker = drawWhere(given, function (clients) { return clients * workerCount <= total; });
    given[worker]++;
    total++;
    return worker;
  };
}

// The first policy without its correction. What the balancer before it did is told nowhere but by that name: "bad luck".
function createUncorrected(workerCount) {
  return function choose() {
    return Math.floor(Math.random() * workerCount);
  };
}

// The default from 13 June 2014: all clients of one address reach one worker.
function createHash(workerCount) {
  return function choose(request) {
    return hashOf(request.connection.remoteAddress) % workerCount;
  };
}

// Optional from June 2014: by quotas of (largest count - own count) / balancers, at random when none is left.
function createSmart(workerCount, balancerCount) {
  var quotas = filled(workerCount, 0);
  function choose() {
    var worker = drawWhere(quotas, function (quota) { return quota > 0; });
    if (worker === undefined) return Math.floor(Math.random() * workerCount);
    quotas[worker]--;
    return worker;
  }
  choose.update = function (counts) {
    var largest = Math.max.apply(null, counts);
    quotas = counts.map(function (own) { return Math.round((largest - own) / balancerCount); });
  };
  return choose;
}

function filled(length, value) {
  var array = [];
  while (array.length < length) array.push(value);
  return array;
}

// One of the indexes of `values` whose value is `right`, at random; undefined when there is none.
function drawWhere(values, right) {
  var indexes = Object.keys(values).filter(function (index) { return right(values[index]); });
  if (indexes.length > 0) return +indexes[Math.floor(Math.random() * indexes.length)];
}

function hashOf(text) {
  var hash = 0;
  for (var i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash;
}

exports.hash = createHash;
exports.random = createRandom;
exports.smart = createSmart;
exports.uncorrected = createUncorrected;
