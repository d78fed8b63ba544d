/**
 * What a server does with what its clients send (servers/CONTRACT.md, Behaviours). `asks`: the behaviour by which clients know it, where
 * it is another's.
 * @type {Record<string, {asks?: string}>}
 */
export const BEHAVIOURS = {
  pingpong: {}, echo: {}, idle: {}, broadcast: {}, 'json-ping': {}, file: {}, 'file-listed': {}, pages: { asks: 'pingpong' }, updates: {},
  'page-delivery': {},
};

/** @param {string} behaviour of a server @returns {string} what its clients are told */
export const askedOf = (behaviour) => BEHAVIOURS[behaviour]?.asks ?? behaviour;
