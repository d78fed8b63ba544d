/**
 * Companions: what runs beside the load and makes none itself, such as a browser that shows a worker's page. Each is a program of
 * clients/ with a companion.toml, and speaks the protocol of clients/CONTRACT.md.
 */
import { readCompanion } from '../spec/generators.js';
import { DIR } from '../common/protocol.js';
import { startConfigured } from './lifecycle.js';

/** What it is told of the load, of which its own time follows. */
const KEYS = ['ramp_s', 'settle_s', 'hold_s', 'drain_s', 'seed'];

/**
 * Start a companion; it is ready as a client is (waitUntilReady), and is told `go` at the same time.
 * @param {import('./session.js').Session} session
 * @param {string} name
 * @param {Record<string, any>} config the client's, with the `url` that the companion opens
 * @param {{inside?: 'client'}} how at the client's end of the network
 * @returns {Promise<import('./remote-process.js').RemoteProcess>} whose records are in a folder of its name
 */
export async function startCompanion(session, name, config, how) {
  await session.ask('makeFolder', { name });
  const settings = { url: config.url, out: `${DIR}/${name}`, ...Object.fromEntries(KEYS.map((key) => [key, config[key]])) };
  return startConfigured(session, readCompanion(name), settings, { ...how, log: name });
}
