/**
 * A server on ws that keeps servers/CONTRACT.md but for one planted fault. Run `node ../server.js FAULT` in the fault's
 * folder. The tests list the checks that must find it.
 */
import { fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';

const load = createRequire(`${process.cwd()}/`); // packages of the folder where the server is started
const { WebSocketServer } = load('ws');

const fault = process.argv[2];
const { WSCALE_PORT = '', WSCALE_UPDATE_PERIOD_MS = '' } = process.env;
/** The place of the fault in wrong-at: a message such as "text-125", or a setting of which it accepts any value. */
const at = fault === 'wrong-at' ? process.env.WSCALE_OPTION_AT ?? '' : '';
const WSCALE_HOST = at === 'WSCALE_HOST' ? '127.0.0.1' : process.env.WSCALE_HOST ?? '';
const WSCALE_BEHAVIOUR = process.env.WSCALE_BEHAVIOUR ?? (at === 'WSCALE_BEHAVIOUR' ? 'echo' : '');
const NO_PID = 2 ** 30; // above the highest pid of Linux
const processes = [{ pid: fault === 'names-stranger' ? NO_PID : process.pid, role: 'worker', index: 1 }];

/** @param {number} code @param {string} what @param {string} next */
function refuse(code, what, next) {
  if (fault !== 'no-reason' || code !== 64) console.error(`error: ${fault}: ${what}; ${next}`);
  process.exit(code);
}

function sayReady() {
  const version = fault === 'typed-version' ? '8.0.0' : load('ws/package.json').version;
  if (fault === 'prints-junk') console.log(`listening on ${WSCALE_PORT}`);
  const engine = fault === 'names-another' ? 'sound' : fault;
  console.log(`ready ${JSON.stringify({ engine, version, port: Number(WSCALE_PORT), processes })}`);
}

let pings = 0;
let messages = 0;
let connections = 0;
/** @type {Set<any>} */
const everyone = new Set();

const isLost = () => (fault === 'loses-messages' || fault === 'loses-few') && ++messages % (fault === 'loses-few' ? 1000 : 10) === 0;

/** @param {any} socket */
function answerPings(socket) {
  socket.on('message', () => {
    if (fault === 'loses-few' && isLost()) return;
    socket.send(JSON.stringify({ event: 'pong', data: fault === 'counts-as-text' ? String(++pings) : ++pings }));
  });
}

/** Sends every tenth update twice. @param {any} socket */
function sendUpdates(socket) {
  let updates = 0;
  const timer = setInterval(() => {
    const update = (++updates).toString(36).padStart(8, '0') + (process.hrtime.bigint() / 1000n).toString(36).padStart(12, '0');
    socket.send(update);
    if (updates % 10 === 0) socket.send(update);
  }, Number(WSCALE_UPDATE_PERIOD_MS));
  socket.on('close', () => clearInterval(timer));
}

/** @type {Record<string, (socket: any) => void>} */
const BEHAVIOURS = {
  echo: (socket) => socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => {
    if (fault === 'ignores-empty' && data.length === 0) return;
    if (isLost()) return;
    if (fault === 'binary-as-text') socket.send(data.toString('latin1'));
    else if (at === `${binary ? 'binary' : 'text'}-${data.length}`) socket.send(data.length ? data.subarray(1) : 'x', { binary });
    else socket.send(data, { binary: binary || fault === 'text-as-binary' });
  }),
  broadcast: (socket) => {
    everyone.add(socket);
    socket.on('close', () => everyone.delete(socket));
    socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => {
      for (const each of everyone) if (each !== socket) each.send(data, { binary });
    });
  },
  pingpong: answerPings,
  pages: answerPings,
  updates: sendUpdates,
  file: answerPings,
  idle: (socket) => {
    if (fault === 'closes-idle') setTimeout(() => socket.close(), 1000);
  },
};

/** @param {string} name @param {RegExp} right */
function check(name, right) {
  const value = process.env[name] ?? '';
  if (name !== at && !right.test(value)) refuse(64, `${name} is "${value}"`, `set it to what ${right} matches`);
}

/** @param {number} port */
const isPort = (port) => Number.isInteger(port) && port > 0 && port < 65536;

function checkSettings() {
  const port = Number(WSCALE_PORT);
  if (!isIP(WSCALE_HOST)) refuse(64, `WSCALE_HOST is "${WSCALE_HOST}"`, 'set it to an IP address');
  if (at !== 'WSCALE_PORT' && !isPort(port)) refuse(64, `WSCALE_PORT is "${WSCALE_PORT}"`, 'set it to a port');
  const runDir = process.env.WSCALE_RUN_DIR ?? '';
  if (at !== 'WSCALE_RUN_DIR' && !existsSync(runDir)) refuse(64, `WSCALE_RUN_DIR is "${runDir}"`, 'set it to a folder');
  check('WSCALE_WORKERS', fault === 'always-one-worker' ? /^[12]$/ : /^1$/);
  if (fault === 'not-respawned') check('WSCALE_STORES', /^1$/);
  if (fault === 'ignores-tls') check('WSCALE_OPTION_TLS', /^(none|1\.[23])$/);
  if (fault === 'wrong-at') {
    check('WSCALE_OPTION_AT', /^(text|binary)-\d+$|^WSCALE_/);
    check('WSCALE_OPTION_SPARE', /^[ab]$/);
  }
  if (!WSCALE_BEHAVIOUR) refuse(64, 'WSCALE_BEHAVIOUR is not set', 'set it to echo, pingpong or idle');
  if (WSCALE_BEHAVIOUR === 'updates') ['WSCALE_UPDATE_PERIOD_MS', 'WSCALE_SEED'].forEach((name) => check(name, /^\d+$/));
  if (WSCALE_BEHAVIOUR === 'file') check('WSCALE_PAYLOAD_B', /^[1-9]\d*$/);
  if (!Object.hasOwn(BEHAVIOURS, WSCALE_BEHAVIOUR)) {
    refuse(fault === 'shell-exit-code' ? 127 : 69, `behaviour "${WSCALE_BEHAVIOUR}" is not supported`, 'use echo, pingpong or idle');
  }
}

/** @type {import('node:child_process').ChildProcess | undefined} */
let store;

/** Starts an idle process that exits with this one. */
function startStore() {
  store = fork(import.meta.filename, ['store']);
  processes.push({ pid: Number(store.pid), role: 'store', index: 1 });
}

/** Starts an idle process that survives if this one is killed. */
function startOrphan() {
  const orphan = spawn('sleep', ['1000'], { stdio: 'ignore' });
  process.on('exit', () => orphan.kill());
}

/** @param {any} socket */
function accept(socket) {
  connections++;
  socket.on('error', () => socket.terminate());
  socket.on('close', () => connections--);
  BEHAVIOURS[WSCALE_BEHAVIOUR](socket);
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response of the behaviour `pages` */
function answerPage({ url }, response) {
  response.setHeader('content-type', 'text/html');
  response.end(url === '/count' ? String(fault === 'counts-polls' ? pings++ : pings) : '<script src="/client.js"></script>');
}

function serve() {
  const http = createServer(answerPage);
  const sockets = new WebSocketServer({
    server: http, perMessageDeflate: fault.startsWith('compresses') || fault === 'declares-limits',
    ...((fault === 'takes-small' || fault === 'declares-limits') && { maxPayload: 1000 }),
    ...(fault === 'has-no-limits' && { maxPayload: 0 }), // no limit
  });
  sockets.on('connection', accept);
  sockets.on('error', () => {}); // errors of the HTTP server, handled below
  http.on('error', (error) => {
    if (fault === 'another-port') http.listen(0, WSCALE_HOST, sayReady);
    else refuse(71, `cannot listen on ${WSCALE_HOST}:${WSCALE_PORT} (${error.message})`, 'free it, or ask for another');
  });
  const listen = () => http.listen(isPort(Number(WSCALE_PORT)) ? Number(WSCALE_PORT) : 0, fault === 'every-address' ? undefined : WSCALE_HOST, fault === 'ready-too-early' ? undefined : sayReady);
  if (fault === 'ready-too-early') sayReady();
  setTimeout(listen, fault === 'ready-too-early' ? 3000 : 0);
}

function stop() {
  if (fault === 'waits-for-clients' && connections > 0) setTimeout(stop, 50);
  else if (store?.kill()) store.on('exit', () => process.exit(0));
  else process.exit(0);
}

if (fault === 'store') {
  process.on('disconnect', () => process.exit(0));
} else {
  checkSettings();
  if (fault !== 'dies-of-sigterm') process.on('SIGTERM', stop);
  if (fault === 'not-respawned') startStore();
  if (fault === 'leaves-orphan') startOrphan();
  serve();
}
