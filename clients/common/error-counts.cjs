// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// How often each error was seen.

var MOST = 100; // distinct texts: a text with an id in it must not fill the memory
var OTHERS = 'others';

function ErrorCounts() {
  this.counts = Object.create(null); // a text may be any word, also `constructor`
  this.distinct = 0;
}

/**
 * @param {string} text its local port is left out: it would make each one unique
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
