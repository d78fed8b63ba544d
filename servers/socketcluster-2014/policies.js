'use strict';

// How a balancer chooses the worker of a new client: the three successive policies of 2014's balancers, and the first one without its
// correction. Workers are numbered from 0 here. A policy takes a request and returns a worker; `update` takes the workers' client
// counts.

// May 2014, the README's throughput benchmark: random with correction of bad luck. It draws only among the workers that got no more
// than their share of clients from this balancer.
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

// The first policy without its correction. The earlier balancer is not documented, except by this name: "bad luck".
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

// Optional from June 2014: by quotas of (largest count - own count) / balancers; at random once all quotas are used up.
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

// A random index among those whose value satisfies `right`; undefined if there is none.
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
