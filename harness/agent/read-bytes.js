import { closeSync, openSync, readSync } from 'node:fs';

/** @param {string} path @param {number} length at most @param {number} position in the file @returns {Buffer} bytes read */
export function readBytes(path, length, position) {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  } finally {
    closeSync(descriptor);
  }
}
