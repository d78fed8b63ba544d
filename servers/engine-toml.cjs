'use strict';

// Reads engine.toml, so that servers and harness share one definition of roles, options and behaviours.
// ES5: it also runs on Node 0.10, where no TOML library loads.

var fs = require('fs');
var path = require('path');

/**
 * Parses the subset of TOML in engine.toml: tables, and pairs on one line with integers, booleans, basic strings or arrays
 * of these (https://toml.io/en/v1.0.0). All these values are also JSON.
 * @param {string} text
 * @returns {object} the document
 * @throws {Error} naming the line that is neither
 */
function parse(text) {
  var document = {};
  var table = document;
  text.split('\n').forEach(function (line, index) {
    var bare = line.replace(/("[^"]*")|#.*/g, '$1').trim();
    var header = /^\[([\w.-]+)\]$/.exec(bare);
    var pair = /^([\w-]+)\s*=\s*(.+)$/.exec(bare);
    if (header) table = openTable(document, header[1]);
    else if (pair) table[pair[1]] = JSON.parse(pair[2]);
    else if (bare) throw new Error('line ' + (index + 1) + ': "' + line + '" is neither a table nor a pair');
  });
  return document;
}

function openTable(document, name) {
  return name.split('.').reduce(function (parent, key) {
    return parent[key] || (parent[key] = {});
  }, document);
}

/**
 * Reads the engine.toml of a server, and the installed version of its engine.
 * @param {string} folder of the server
 * @returns {object} the document with `version`; missing `roles` and `options` are empty
 * @throws {Error} if a file is missing or malformed
 */
function readEngine(folder) {
  var engine = parse(fs.readFileSync(path.join(folder, 'engine.toml'), 'utf8'));
  var manifest = path.join(folder, 'node_modules', engine.package, 'package.json');
  engine.version = JSON.parse(fs.readFileSync(manifest, 'utf8')).version;
  engine.roles = engine.roles || {};
  engine.options = engine.options || {};
  return engine;
}

exports.parse = parse;
exports.readEngine = readEngine;
