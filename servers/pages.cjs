'use strict';

// The behaviour `pages` (CONTRACT.md): `pingpong`, and over HTTP on the same port the page of the thesis's appendix C.1, and the
// worker's own count of pings, to compare with the page.

var fs = require('fs');
var path = require('path');
var contract = require('./contract.cjs');

/**
 * @param {string} folder of the server, with the page index.html
 * @param {function(): number} readCount the number of pings that this worker has received
 * @param {Object<string, string>} [scripts] files by path in the URL: the engine's own browser client, unless the engine serves it
 * @returns {function(http.IncomingMessage, http.ServerResponse)} answers the requests that the engine does not handle
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
