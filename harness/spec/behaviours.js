/**
 * What a server does with its clients' messages (servers/CONTRACT.md, Behaviours). `asks`: the name of the behaviour for clients, if it
 * differs.
 * @type {Record<string, {asks?: string}>}
 */
export const BEHAVIOURS = {
  pingpong: {}, echo: {}, idle: {}, broadcast: {}, 'json-ping': {}, file: {}, 'file-listed': {}, pages: { asks: 'pingpong' }, updates: {},
  'page-delivery': {},
};

/** @param {string} behaviour of a server @returns {string} the behaviour named to its clients */
export const askedOf = (behaviour) => BEHAVIOURS[behaviour]?.asks ?? behaviour;
