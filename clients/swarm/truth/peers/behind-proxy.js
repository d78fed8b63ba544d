/**
 * Starts a server behind nginx or HAProxy, which ends TLS. Prints `ready` with the proxy's port, and at the end the server's counts.
 *
 *     node behind-proxy.js nginx|haproxy FOLDER CERTIFICATE KEY SERVER [ARGUMENT]...
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { SBIN } from '../../../../harness/agent/machine.js';

const [name, folder, certificate, key, ...argv] = process.argv.slice(2);
/** 10 ms apart: about a second. */
const TRIES = 100;

/** @param {number} port @param {number} backend */
const nginx = (port, backend) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    location / {
      proxy_pass http://127.0.0.1:${backend};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
      proxy_set_header Host $host;
    }
  }
}
`;

/** @param {number} port @param {number} backend */
const haproxy = (port, backend) => `
global
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
frontend secured
  bind 127.0.0.1:${port} ssl crt ${folder}/both.pem alpn http/1.1
  default_backend server
backend server
  server one 127.0.0.1:${backend}
`;

/** @returns {Promise<number>} a free port; if another process takes it first, the proxy reports that */
async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** @param {number} port @param {number} backend @returns {string[]} the proxy's command line */
function configure(port, backend) {
  const path = join(folder, `${name}.conf`);
  if (name === 'nginx') {
    writeFileSync(path, nginx(port, backend));
    return ['nginx', '-p', folder, '-c', path, '-e', 'stderr'];
  }
  writeFileSync(join(folder, 'both.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
  writeFileSync(path, haproxy(port, backend));
  return ['haproxy', '-db', '-f', path];
}

/** @param {number} port */
async function waitUntilItListens(port) {
  for (let tries = 0; tries < TRIES; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await sleep(10);
  }
  throw new Error(`${name} does not listen on port ${port}`);
}

/** @param {string} what @param {import('node:child_process').ChildProcess} child */
function failWith(what, child) {
  child.on('error', (error) => fail(`${what} did not start: ${error.message}`));
  child.on('exit', (code, signal) => !isEnding && fail(`${what} ended: ${code ?? signal}`));
}

/** @param {string} told @returns {never} */
function fail(told) {
  console.error(`error: behind-proxy: ${told}`);
  process.exit(70);
}

let isEnding = false;
const server = spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
failWith('the server', server);
const lines = createInterface({ input: server.stdout });
const [said] = await once(lines, 'line');
const ready = JSON.parse(said.replace(/^ready /, ''));
const port = await findPort();
const [command, ...rest] = configure(port, ready.port);
const proxy = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env: SBIN });
failWith(name, proxy);
process.once('SIGTERM', async () => {
  isEnding = true;
  const told = once(lines, 'line');
  server.kill('SIGTERM');
  console.log((await told)[0]);
  proxy.kill('SIGKILL');
  process.exit(0);
});
await waitUntilItListens(port);
console.log(`ready ${JSON.stringify({ ...ready, port, pid: process.pid, processes: [{ pid: process.pid, role: 'worker', index: 1 }] })}`);
