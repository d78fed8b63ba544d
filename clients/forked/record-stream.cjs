// @ts-nocheck: TypeScript knows no constructor functions, and Node 0.10 no classes
'use strict';

// Writes records to a pipe in batches, so that the load loop does not block and makes no system call per record.

var records = require('../common/records.cjs');

var BATCH_B = 2048 * records.SIZE_B;

var allocate = Buffer.allocUnsafe || function (size) { return new Buffer(size); };

/**
 * @param {stream.Writable} pipe
 */
function RecordStream(pipe) {
  this.pipe = pipe;
  this.batch = allocate(BATCH_B);
  this.used_b = 0;
}

/**
 * Adds one record; the parameters are those of records.write.
 */
RecordStream.prototype.add = function (kind, bytes, a, b, c) {
  records.write(this.batch, this.used_b, kind, bytes, a, b, c);
  this.used_b += records.SIZE_B;
  if (this.used_b === BATCH_B) this.flush();
};

/**
 * Adds a record with JSON after it, and flushes.
 * @param {number} kind HELLO or GOODBYE
 * @param {object} content
 */
RecordStream.prototype.addJson = function (kind, content) {
  var text = JSON.stringify(content);
  this.add(kind, Buffer.byteLength(text), 0, 0, 0);
  this.flush();
  this.pipe.write(text);
};

/** Writes the batch. */
RecordStream.prototype.flush = function () {
  if (this.used_b === 0) return;
  this.pipe.write(this.batch.slice(0, this.used_b));
  this.batch = allocate(BATCH_B);
  this.used_b = 0;
};

module.exports = RecordStream;
