// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// Counts errors by their text.

var MOST = 100; // distinct texts: an error text with an id in it must not fill the memory
var OTHERS = 'others';

function ErrorCounts() {
  this.counts = Object.create(null); // no prototype: a text may be any word, even `constructor`
  this.distinct = 0;
}

/**
 * @param {string} text counted without its local port: with it, every text would be unique
 */
ErrorCounts.prototype.add = function (text) {
  var key = text.replace(/ - Local \(.*?\)/, '').slice(0, 200);
  if (!(key in this.counts)) {
    if (this.distinct === MOST) key = OTHERS;
    else this.distinct++;
  }
  this.counts[key] = (this.counts[key] || 0) + 1;
};

module.exports = ErrorCounts;
