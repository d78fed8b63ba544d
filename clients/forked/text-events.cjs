'use strict';

// Events as JSON text, for dialects without events of their own (servers/CONTRACT.md, Behaviours).

/** The ping of listing A.1 of the thesis. */
exports.PING = JSON.stringify({ event: 'ping', data: { param: 'pong' } });

/**
 * @param {string} text
 * @returns {*} the data of a `pong`; undefined for anything else
 */
exports.readPong = function readPong(text) {
  try {
    var message = JSON.parse(text);
    return message.event === 'pong' ? message.data : undefined;
  } catch (error) {
    return undefined; // the driver counts it as a wrong answer
  }
};
