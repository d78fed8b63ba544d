/**
 * Independent servers. Each peer is a program `PEER CORRUPT [CERTIFICATE KEY] [--stall US --every US --stall-from US]`. It echoes text
 * on a free port of 127.0.0.1, may agree to permessage-deflate, changes the last byte of every CORRUPTth answer (never with 0), stalls
 * as truth-server does, prints `ready {json}` (servers/CONTRACT.md), and on SIGTERM prints its counts as JSON. A proxy ends TLS before
 * another server.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SBIN } from '../../../harness/agent/machine.js';
import { UserError } from '../../../harness/common/failure.js';
import { ROOT } from '../../../harness/common/places.js';
import { installParts } from '../../../harness/run/install.js';
import { readEngine } from '../../../harness/spec/engines.js';

/** @typedef {import('../../../harness/spec/engines.js').Installable} Installable */
/** @typedef {{name: string, title: string, part: () => Installable, argv: string[]}} Peer `part`: what to install */
/** @typedef {{name: 'nginx' | 'haproxy', title: string, package: string}} Proxy */

const PEERS_FOLDER = join(import.meta.dirname, 'peers');
const inPeers = (/** @type {string} */ name) => join(PEERS_FOLDER, name);
const NETTY = join(ROOT, 'servers/netty/target/lib/*');

/** @returns {Installable} */
const autobahn = () => ({
  name: 'autobahn', folder: inPeers('autobahn'), runtime: 'python', build: [join(ROOT, 'runtimes/python/build.sh'), '..'], build_inputs: ['requirements.txt'],
});

/** @type {Peer[]} */
export const PEERS = [
  { name: 'ws', title: "Node's ws", part: () => readEngine('ws'), argv: [process.execPath, inPeers('node-ws.js')] },
  {
    name: 'websockets', title: "Python's websockets", part: () => readEngine('websockets'),
    argv: [join(ROOT, 'servers/websockets/venv/bin/python3'), inPeers('python_websockets.py')],
  },
  { name: 'autobahn', title: 'autobahn', part: autobahn, argv: [inPeers('autobahn/venv/bin/python3'), inPeers('python_autobahn.py')] },
  { name: 'netty', title: 'Netty', part: () => readEngine('netty'), argv: ['java', '-cp', NETTY, inPeers('Netty.java')] },
];

/** @type {Proxy[]} not installed here, because their packages start a system service */
export const PROXIES = [
  { name: 'nginx', title: 'nginx', package: 'nginx-light' },
  { name: 'haproxy', title: 'HAProxy', package: 'haproxy' },
];

/** @param {Peer} peer @param {AbortSignal} signal @returns {Promise<string | undefined>} why it can't be installed; undefined if it is */
export async function install(peer, signal) {
  try {
    await installParts([peer.part()], (text) => console.log(`  ${text}`), signal);
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof UserError)) throw error;
    return `${peer.title} can't be installed here: ${error.message}`;
  }
}

/** @param {Proxy} proxy @returns {string | undefined} why it can't be used; undefined if it can */
export function findLack({ name, package: wanted }) {
  const isThere = String(SBIN.PATH).split(':').some((folder) => existsSync(join(folder, name)));
  return isThere ? undefined : `${name} is not installed; apt-get install ${wanted}, and stop the service that it starts`;
}

/**
 * @param {Proxy} proxy @param {string} folder existing, for its configuration @param {{certificate: string, key: string}} files
 * @param {string[]} server command line of the server behind it, reached over plain TCP
 * @returns {string[]} command line that starts both
 */
export function putBefore({ name }, folder, { certificate, key }, server) {
  return [process.execPath, inPeers('behind-proxy.js'), name, folder, certificate, key, ...server];
}
