/** The ssh host keys. Each host prints its keys on its console at its first boot. Amazon provides the console: no key is taken on trust. */
import { UserError } from '../../harness/common/failure.js';
import { sleep } from '../../harness/common/timers.js';
import { TO_LOOK } from './say.js';

/** The console of a Xen instance (m3, c3) is available only some minutes later. */
const WITHIN_S = 600;
const LOOK_MS = 3000;
const BLOCK = /-----BEGIN SSH HOST KEY KEYS-----([^]*?)-----END SSH HOST KEY KEYS-----/;
const KEY = /(ssh-ed25519|ecdsa-sha2-nistp\d+|ssh-rsa) (AAAA[A-Za-z0-9+/]+=*)/g;

/** @param {string} text of a console @returns {string[]} such as "ssh-ed25519 AAAA…"; empty until cloud-init has printed them */
export function readHostKeys(text) {
  const [, block = ''] = BLOCK.exec(text) ?? [];
  return [...block.matchAll(KEY)].map(([, type, key]) => `${type} ${key}`);
}

/** @typedef {import('./amazon.js').Amazon} Amazon */
/** @typedef {import('./stack.js').Host} Host */

/**
 * @param {Amazon} amazon @param {Host[]} hosts
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @returns {Promise<Map<string, string[]>>} keys by the host's id
 */
export async function waitForHostKeys(amazon, hosts, tell, signal) {
  /** @type {Map<string, string[]>} */
  const keys = new Map();
  for (const began = performance.now(); ;) {
    for (const { id } of hosts.filter((host) => !keys.has(host.id))) {
      const found = readHostKeys(await readConsole(amazon, id));
      if (found.length) keys.set(id, found);
    }
    tell(`first boot: ${keys.size} of ${hosts.length} hosts have printed their keys`);
    if (keys.size === hosts.length) return keys;
    const lacking = hosts.filter((host) => !keys.has(host.id)).map(({ name, id }) => `${name} (${id})`);
    if (performance.now() - began > WITHIN_S * 1000) {
      throw new UserError(`first boot: ${lacking.join(', ')}: no key on the console within ${WITHIN_S} s; ${TO_LOOK}, and read: aws ec2 get-console-output --instance-id …`);
    }
    await sleep(LOOK_MS, signal);
  }
}

/** @param {Amazon} amazon @param {string} InstanceId @returns {Promise<string>} */
async function readConsole(amazon, InstanceId) {
  const ask = (/** @type {object} */ more) => amazon.ask('ec2', 'GetConsoleOutput', { InstanceId, ...more });
  // Only Nitro instances support `Latest`
  const { Output = '' } = await ask({ Latest: true }).catch((error) => {
    if (/UnsupportedOperation|InvalidParameter/.test(error.name)) return ask({});
    throw error;
  });
  return Buffer.from(Output, 'base64').toString('utf8');
}
