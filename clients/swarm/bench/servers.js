/** The servers of bench-swarm: the Rust echo server, and uWebSockets under Bun. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../../../harness/common/timers.js';
import { TrialError } from '../../../harness/common/failure.js';
import { STOP_WITHIN_S, serverEnvironment } from '../../../harness/run/lifecycle.js';
import { readEngine, runtimePath } from '../../../harness/spec/engines.js';
import { waitUntilReady } from '../../../harness/agent/ready.js';
import { BINARIES } from './binaries.js';

/** @typedef {import('../../../harness/agent/host.js').LocalHost} LocalHost */
/**
 * @typedef {object} Serving
 * @property {string} address host:port
 * @property {() => Promise<number | undefined>} stop returns the payload bytes it echoed, if it counts them
 */

const ADDRESS = '127.0.0.1';
/** File in the folder of a run over TLS. */
export const CERTIFICATE = 'certificate.pem';

/**
 * @param {LocalHost} host @param {'tcp' | 'websocket'} protocol @param {string} folder for its logs @param {AbortSignal} signal
 * @param {boolean} [isSecured] over TLS
 * @returns {Promise<Serving>}
 */
export async function startEchoServer(host, protocol, folder, signal, isSecured = false) {
  const port = await host.findFreePort(ADDRESS);
  const stdout = join(folder, 'server.out');
  const server = await host.start({
    argv: [BINARIES.echoServer, ADDRESS, String(port), '--protocol', protocol, ...(isSecured ? ['--tls', join(folder, CERTIFICATE)] : [])],
    cwd: folder, side: 'server', stdin: 'pipe', stdout, stderr: join(folder, 'server.err'),
  });
  await waitUntilReady(server, 'the echo server', signal);
  const stop = async () => {
    server.child.stdin?.end(); // it then prints its totals and ends
    const ended = await within(server.exited, STOP_WITHIN_S * 1000, signal);
    if (ended?.code !== 0) throw new TrialError(`the echo server did not end as it should: it ${ended ? server.describeEnd() : 'goes on'}`);
    const done = /^done (.*)$/m.exec(readFileSync(stdout, 'utf8'))?.[1];
    return /** @type {number} */ (JSON.parse(done ?? '{}').payload_b);
  };
  return { address: `${ADDRESS}:${port}`, stop };
}

/** @param {LocalHost} host @param {string} folder for its logs @param {AbortSignal} signal @returns {Promise<Serving>} */
export async function startUws(host, folder, signal) {
  const port = await host.findFreePort(ADDRESS);
  const engine = readEngine('uws');
  const options = Object.fromEntries(Object.entries(engine.options ?? {}).map(([name, known]) => [name, known.default]));
  const config = { engine: engine.name, address: ADDRESS, port, behaviour: 'echo', processes: { worker: 1 }, options };
  const server = await host.start({
    argv: engine.start, cwd: engine.folder, path: runtimePath(engine), side: 'server',
    env: { ...serverEnvironment(config), WSCALE_RUN_DIR: host.makeRunDir() }, stdout: join(folder, 'server.out'), stderr: join(folder, 'server.err'),
  });
  await waitUntilReady(server, 'uws', signal);
  const stop = async () => {
    server.signal('SIGTERM');
    const ended = await within(server.exited, STOP_WITHIN_S * 1000, signal);
    if (ended?.code !== 0) throw new TrialError(`uws did not stop as it should: it ${ended ? server.describeEnd() : 'goes on'}`);
    return undefined;
  };
  return { address: `${ADDRESS}:${port}`, stop };
}
