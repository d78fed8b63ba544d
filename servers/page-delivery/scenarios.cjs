'use strict';

// The data of a page: each of its requests is a promise of a result (sections 4.1 and 5.2 of the thesis). ES5, for Node 0.10.28.

var fs = require('fs');
var path = require('path');

/** Section 5.2.5: the time of each request in the scenario `parallel`. */
var PARALLEL_MS = 2000;
/** Documents per message to the database: it rejects longer ones. */
var BATCH = 4096;
/** Maximum of x in all scenarios. */
var X_MAX = 65536;

/**
 * A single request of each scenario, as in the AJAX workflow.
 * @type {Object<string, function(Scenarios, number): Promise>}
 */
var REQUESTS = {
  files: function (scenarios, kib) { return scenarios.readBytes(kib).then(toBufferJson); },
  documents: function (scenarios, count) { return scenarios.database.find(count); },
  timeouts: function (scenarios, ms) { return scenarios.wait(ms); },
  series: function (scenarios) { return scenarios.wait(0); },
  parallel: function (scenarios) { return scenarios.wait(PARALLEL_MS); }
};

/** A file in JSON as Node of the thesis's time sends it: `{"type":"Buffer","data":[0,0,...]}` (section 5.2.1). */
function toBufferJson(bytes) {
  var json = bytes.toJSON();
  return Array.isArray(json) ? { type: 'Buffer', data: json } : json; // Node 0.10 returns only the list
}

/**
 * @constructor
 * @param {object} given
 * @param {string} given.filesDir a private folder of the server, in memory if possible
 * @param {function} given.Promise
 * @param {{seed: function(number, object[]): Promise, find: function(number): Promise}} [given.database] for the scenario `documents`
 */
function Scenarios(given) {
  this.filesDir = given.filesDir;
  this.Promise = given.Promise;
  this.database = given.database;
  this.prepared = {};
}

/** @returns {boolean} whether there is such a page */
Scenarios.prototype.knows = function (scenario, x) {
  if (scenario === 'noop') return x === 0;
  return Object.keys(REQUESTS).indexOf(scenario) >= 0 && x >= 0 && x <= X_MAX && (scenario !== 'documents' || Boolean(this.database));
};

/** @returns {string} why there is no such page, and what to do, for people who open one by hand */
Scenarios.prototype.explain = function (scenario) {
  if (scenario === 'documents' && !this.database) return 'documents need a database, and this server has none; start it with WSCALE_OPTION_DATABASE set to one that engine.toml lists';
  return 'there is no such page; use noop/0, or one of ' + Object.keys(REQUESTS).join(', ') + ' with a number up to ' + X_MAX;
};

/** Makes what the scenario needs, once. @returns {Promise} */
Scenarios.prototype.prepare = function (scenario, x) {
  var key = scenario + ' ' + x;
  var make = { files: this.makeFile, documents: this.makeDocuments }[scenario];
  if (!this.prepared[key]) this.prepared[key] = make ? make.call(this, x) : this.Promise.resolve();
  return this.prepared[key];
};

/** @returns {string[]} the key of each request of a page, in order */
Scenarios.prototype.listKeys = function (scenario, x) {
  var count = scenario === 'noop' ? 0 : scenario === 'series' || scenario === 'parallel' ? x : 1;
  var keys = [];
  for (var index = 0; index < count; index++) keys.push('r' + index);
  return keys;
};

/** @returns {Promise} of one result */
Scenarios.prototype.ask = function (scenario, x) {
  return REQUESTS[scenario](this, x);
};

/** Starts all requests of a page: in a series one after the other, else all at once. @returns {Promise[]} the result of each key */
Scenarios.prototype.askAll = function (scenario, x) {
  var ask = this.ask.bind(this, scenario, x);
  var last;
  return this.listKeys(scenario, x).map(function () {
    last = scenario === 'series' && last ? last.then(ask) : ask();
    return last;
  });
};

Scenarios.prototype.wait = function (ms) {
  return new this.Promise(function (resolve) {
    setTimeout(function () { resolve(ms); }, ms);
  });
};

Scenarios.prototype.filePath = function (kib) {
  return path.join(this.filesDir, kib + '.bin');
};

Scenarios.prototype.readBytes = function (kib) {
  var file = this.filePath(kib);
  return new this.Promise(function (resolve, reject) {
    fs.readFile(file, function (error, bytes) {
      if (error) reject(error);
      else resolve(bytes);
    });
  });
};

// Makes a sparse file in memory, so that nothing is read from a disk.
Scenarios.prototype.makeFile = function (kib) {
  var name = this.filePath(kib);
  return new this.Promise(function (resolve, reject) {
    fs.open(name, 'w', function (error, file) {
      if (error) return reject(error);
      fs.ftruncate(file, kib * 1024, function (failed) {
        fs.close(file, function () {
          if (failed) reject(failed);
          else resolve();
        });
      });
    });
  });
};

Scenarios.prototype.makeDocuments = function (count) {
  var database = this.database;
  var from = 0;
  function insertNext() {
    var batch = [];
    while (batch.length < BATCH && from < count) batch.push({ x: from++ });
    return batch.length ? database.seed(count, batch).then(insertNext) : undefined;
  }
  return this.Promise.resolve().then(insertNext);
};

exports.Scenarios = Scenarios;
