/** What a server does with its clients' messages (servers/CONTRACT.md, Behaviours). */
export const BEHAVIOURS = ['pingpong', 'echo', 'idle', 'broadcast', 'json-ping', 'file', 'file-listed', 'pages', 'updates', 'page-delivery'];

/** @param {string} behaviour of a server @returns {string} the behaviour named to its clients */
export const askedOf = (behaviour) => (behaviour === 'pages' ? 'pingpong' : behaviour);
