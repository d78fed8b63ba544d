/** Paths of the programs that bench-swarm runs. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { within } from '../../../harness/common/timers.js';
import { UserError } from '../../../harness/common/failure.js';
import { RESULTS, ROOT } from '../../../harness/common/places.js';

const WORKSPACE = dirname(import.meta.dirname);
const BUILT = join(resolve(WORKSPACE, process.env.CARGO_TARGET_DIR ?? 'target'), 'release');

/** k6 with its version, which is pinned only here. `go install` fetches and builds it. */
export const K6_MODULE = 'go.k6.io/k6@v1.8.0';
/** Long, because k6 has some hundred packages to compile. */
const INSTALL_WITHIN_MS = 30 * 60_000;
const PEERS = join(RESULTS, 'bench-swarm', 'peers', K6_MODULE.split('@')[1]);

export const BINARIES = {
  swarm: join(BUILT, 'swarm'),
  echoServer: join(BUILT, 'echo-server'),
  tcpLimit: join(BUILT, 'tcp-limit'),
  k6: join(PEERS, 'k6'),
};

/** @throws {UserError} when one of swarm, echo-server and tcp-limit was not built */
export function checkBuilt() {
  const { swarm, echoServer, tcpLimit } = BINARIES;
  const absent = [swarm, echoServer, tcpLimit].filter((path) => !existsSync(path)).map((path) => relative(ROOT, path));
  if (absent.length) throw new UserError(`bench-swarm: not built: ${absent.join(', ')}; run \`make bench-swarm\`, which builds them`);
}

/**
 * Install k6 below results/, once.
 * @param {import('../../../harness/agent/host.js').LocalHost} host @param {string} folder for the log @param {AbortSignal} signal
 * @throws {UserError} with the path of the log
 */
export async function installK6(host, folder, signal) {
  if (existsSync(BINARIES.k6)) return;
  console.log(`installing ${K6_MODULE} with go, once, some minutes`);
  const log = join(folder, 'go-install.log');
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
  const install = await host.start({
    argv: ['go', 'install', K6_MODULE], cwd: folder, side: 'build', env: { ...environment, GOBIN: PEERS }, stdout: log, stderr: log,
  });
  const ended = await within(install.exited, INSTALL_WITHIN_MS, signal);
  if (ended?.code !== 0) throw new UserError(`bench-swarm: \`go install ${K6_MODULE}\` failed; read ${relative(ROOT, log)}, or run without PEERS=1`);
}
