'use strict';

// The HTTP answers of the behaviour `page-delivery` (../CONTRACT.md), for any framework: it takes Node's requests and responses. ES5, for
// Node 0.10.28.

var fs = require('fs');
var path = require('path');
var url = require('url');
var accounts = require('./accounts.cjs');
var Delivery = require('./delivery.cjs').Delivery;
var Scenarios = require('./scenarios.cjs').Scenarios;

/** A script does not change while the server runs, so the browser may cache it. Everything else belongs to one load. */
var KEPT = 'public, max-age=3600';
var FRESH = 'no-store';
var LOAD = /^[\w-]{1,40}$/;
/** Workflows that push a file as raw bytes; otherwise they work like `stream`. */
var AS_BYTES = ['binary', 'websocket'];

/** @typedef {{workflow: string, scenario: string, x: number}} Asked */

/**
 * @constructor
 * @param {object} given
 * @param {object} given.handlebars
 * @param {function} given.Promise
 * @param {string} given.filesDir
 * @param {object} [given.database] as in scenarios.cjs
 * @param {number[]} [given.databasePids]
 * @param {Object<string, string[]>} given.workflows by name: the scripts to load before page.js
 * @param {string[]} [given.piped] workflows whose transport itself sends files while reading them
 */
function Routes(given) {
  this.Promise = given.Promise;
  this.workflows = given.workflows;
  this.piped = given.piped || [];
  this.databasePids = given.databasePids || [];
  this.delivery = new Delivery();
  this.scenarios = new Scenarios(given);
  this.source = fs.readFileSync(path.join(__dirname, 'page.js'));
  given.handlebars.registerHelper('stream', function (key) { return '<var data-promise="' + key + '"></var>'; });
  this.render = given.handlebars.compile(fs.readFileSync(path.join(__dirname, 'page.html'), 'utf8'));
}

/** Notes the time of a request. Must be the first listener of the HTTP server. */
Routes.prototype.stamp = function (request) {
  request.received = { mono_us: accounts.readClock_us(), wall_ms: Date.now() };
};

/** `GET /<workflow>/<scenario>/<x>`: the page. @param {Asked} asked */
Routes.prototype.page = function (request, response, asked) {
  if (!this.isWorkflow(asked.workflow)) return refuse(response, 404, 'there is no such workflow; use one of ' + Object.keys(this.workflows).join(', '));
  if (!this.scenarios.knows(asked.scenario, asked.x)) return refuse(response, 404, this.scenarios.explain(asked.scenario));
  var visit = this.delivery.open(loadOf(request), sessionOf(request.headers.cookie), request.received);
  visit.asked = asked;
  visit.keys = this.scenarios.listKeys(asked.scenario, asked.x);
  var serve = this.serve.bind(this, request, response, visit);
  return this.scenarios.prepare(asked.scenario, asked.x).then(serve).then(null, failWith(response));
};

Routes.prototype.isWorkflow = function (name) {
  return Object.prototype.hasOwnProperty.call(this.workflows, name);
};

Routes.prototype.serve = function (request, response, visit) {
  var routes = this;
  var asked = visit.asked;
  var delivery = this.delivery;
  function answer(values) {
    response.writeHead(200, headersOf(visit, request));
    response.end(routes.render(routes.describe(visit, values)));
    delivery.mark(visit, 'answered_us');
  }
  if (this.isLeftToAsk(asked)) return answer();
  var promises = this.begin(asked);
  var all = this.Promise.all(promises).then(function (values) {
    delivery.mark(visit, 'resolved_us');
    return values;
  });
  if (asked.workflow === 'server') return all.then(answer);
  all.then(null, function () {}); // the sender reports the error
  if (asked.workflow === 'html') return this.streamMarkup(request, response, visit, promises);
  visit.keys.forEach(function (key, index) { delivery.sendWhenConnected(visit, key, promises[index]); });
  return answer();
};

// Whether the page requests the results itself; then nothing starts before.
Routes.prototype.isLeftToAsk = function (asked) {
  return asked.workflow === 'ajax' || (asked.scenario === 'files' && this.piped.indexOf(asked.workflow) >= 0);
};

/** Starts all requests. @param {Asked} asked @returns {Promise[]} the result of each key */
Routes.prototype.begin = function (asked) {
  if (AS_BYTES.indexOf(asked.workflow) >= 0 && asked.scenario === 'files') return [this.scenarios.readBytes(asked.x)];
  return this.scenarios.askAll(asked.scenario, asked.x);
};

/** @param {object[]} [values] of the keys, if known @returns {object} the variables of page.html */
Routes.prototype.describe = function (visit, values) {
  var asked = visit.asked;
  var isStreamed = asked.workflow === 'html';
  var facts = {
    load: visit.load, workflow: asked.workflow, scenario: asked.scenario, x: asked.x, count: visit.keys.length, start_ms: visit.start_ms
  };
  return {
    workflow: asked.workflow, scenario: asked.scenario, x: asked.x, count: visit.keys.length, facts: JSON.stringify(facts),
    values: values && visit.keys.map(function (key, index) { return { key: key, text: JSON.stringify(values[index]) }; }),
    keys: values ? [] : visit.keys,
    isStreamed: isStreamed, scripts: isStreamed ? [] : this.workflows[asked.workflow].concat('/page.js')
  };
};

// Sends the markup first, then each result as soon as it is ready, in any order: a script moves it to its place. A failed result does not
// delay the others; the page notices at the end that it is missing.
Routes.prototype.streamMarkup = function (request, response, visit, promises) {
  var markup = this.render(this.describe(visit));
  var end = markup.lastIndexOf('</body>');
  response.writeHead(200, headersOf(visit, request));
  response.write(markup.slice(0, end));
  this.delivery.mark(visit, 'answered_us');
  var written = promises.map(function (promise, index) {
    var key = visit.keys[index];
    return promise.then(function (value) {
      response.write('<template data-for="' + key + '">' + JSON.stringify(value) + '</template><script>place("' + key + '")</script>\n');
    }).then(null, function () {});
  });
  this.Promise.all(written).then(function () { response.end(markup.slice(end)); });
};

/** `GET /data/<scenario>/<x>`: one result, for a page that requests it. @param {Asked} asked */
Routes.prototype.data = function (request, response, asked) {
  if (asked.scenario === 'noop' || !this.scenarios.knows(asked.scenario, asked.x)) return refuse(response, 404, this.scenarios.explain(asked.scenario));
  return this.scenarios.ask(asked.scenario, asked.x).then(sendJson.bind(undefined, response)).then(null, failWith(response));
};

/** `GET /prepare/<scenario>/<x>`: makes what the scenario needs, then answers. @param {Asked} asked */
Routes.prototype.prepare = function (request, response, asked) {
  if (!this.scenarios.knows(asked.scenario, asked.x)) return refuse(response, 404, this.scenarios.explain(asked.scenario));
  return this.scenarios.prepare(asked.scenario, asked.x).then(function () { sendJson(response, {}); }).then(null, failWith(response));
};

/** `GET /marks?load=…`: the times of its events. */
Routes.prototype.marks = function (request, response) {
  var visit = this.delivery.find(loadOf(request));
  if (visit) sendJson(response, visit.marks);
  else refuse(response, 404, 'there was no such load');
};

Routes.prototype.clock = function (request, response) {
  sendJson(response, { now_us: accounts.readClock_us() });
};

Routes.prototype.usage = function (request, response) {
  var database_ms = this.databasePids.reduce(function (sum, pid) { return sum + accounts.readCpu_ms(pid); }, 0);
  sendJson(response, { worker_ms: accounts.readCpu_ms(process.pid), database_ms: database_ms });
};

Routes.prototype.script = function (request, response) {
  response.writeHead(200, { 'Cache-Control': KEPT, 'Content-Type': 'text/javascript; charset=utf-8' });
  response.end(this.source);
};

function headersOf(visit, request) {
  var headers = { 'Cache-Control': FRESH, 'Content-Type': 'text/html; charset=utf-8' };
  if (sessionOf(request.headers.cookie) !== visit.session) headers['Set-Cookie'] = 'session=' + visit.session + '; Path=/; HttpOnly';
  return headers;
}

function sendJson(response, value) {
  response.writeHead(200, { 'Cache-Control': FRESH, 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}

function refuse(response, status, why) {
  response.writeHead(status, { 'Content-Type': 'text/plain' });
  response.end(why + '\n');
}

function failWith(response) {
  return function (error) {
    if (response.headersSent) response.destroy(); // too late for a status: the browser sees an aborted response
    else refuse(response, 500, String(error && error.message || error));
  };
}

/** @param {string} [cookie] a header @returns {string|undefined} the session */
function sessionOf(cookie) {
  var found = /(?:^|;\s*)session=([\w-]{1,40})(?:;|$)/.exec(cookie || '');
  return found ? found[1] : undefined;
}

/** @param {{url: string}} request @returns {string|undefined} its load */
function loadOf(request) {
  var load = url.parse(request.url, true).query.load;
  return LOAD.test(load) ? load : undefined;
}

/** @param {{scenario: string, x: string, workflow: string}} params of a route @returns {Asked} */
function readAsked(params) {
  return { workflow: params.workflow, scenario: params.scenario, x: /^\d{1,6}$/.test(params.x) ? +params.x : NaN };
}

/** The method above for each route. Pages come last: their pattern is the most general. */
var ROUTES = {
  '/page.js': 'script', '/clock': 'clock', '/usage': 'usage', '/marks': 'marks', '/prepare/:scenario/:x': 'prepare',
  '/data/:scenario/:x': 'data', '/:workflow/:scenario/:x': 'page'
};

/**
 * Registers all routes with a framework.
 * @param {function(string, function(object, object, object))} get takes a path, as in Express and Fastify, and a handler. The handler
 *   takes a request, a response and the parameters of the path
 */
Routes.prototype.forEach = function (get) {
  var routes = this;
  Object.keys(ROUTES).forEach(function (where) {
    get(where, function (request, response, params) { routes[ROUTES[where]](request, response, readAsked(params)); });
  });
};

exports.Routes = Routes;
exports.loadOf = loadOf;
exports.refuse = refuse;
exports.sessionOf = sessionOf;
