'use strict';

// The behaviour `pages` (CONTRACT.md): beside `pingpong`, over HTTP on the same port, the page of the thesis's appendix C.1,
// and the worker's own count of pings, to hold beside what the page shows.

var fs = require('fs');
var path = require('path');
var contract = require('./contract.cjs');

/**
 * @param {string} folder of the server, which holds the page: index.html
 * @param {function(): number} readCount the pings that this worker has received
 * @param {Object<string, string>} [scripts] path in the URL to the file: the engine's own browser client, where the engine does not
 *   serve it by itself
 * @returns {function(http.IncomingMessage, http.ServerResponse)} what answers the requests that are not for the engine
 */
exports.createPages = function createPages(folder, readCount, scripts) {
  var page = path.join(folder, 'index.html');
  return function answer(request, response) {
    var asked = request.url.split('?')[0];
    if (asked === '/count') send(response, 'text/plain', String(readCount()));
    else if (asked === '/' || asked === '/index.html') sendFile(response, 'text/html; charset=utf-8', page);
    else if (scripts && scripts[asked]) sendFile(response, 'text/javascript; charset=utf-8', scripts[asked]);
    else contract.answerNotFound(request, response);
  };
};

function sendFile(response, type, file) {
  fs.readFile(file, function (error, content) {
    if (error) return contract.failWith('pages', error);
    send(response, type, content);
  });
}

function send(response, type, content) {
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(content);
}
