/**
 * Divides one load among several client hosts. Connections, processes, rates, seeds and addresses are divided; everything else is the same.
 */
import { addressesOf } from '../spec/hosts.js';

/** @typedef {import('../spec/hosts.js').Host} Host */
/** @typedef {Record<string, any>} Config Configuration of a client (clients/CONTRACT.md) */
/** @typedef {{host: string, config: Config}} Share */

/** The fractional part of the golden ratio, in 32 bits: keeps neighbouring seeds unrelated (Knuth, TAOCP 3, 6.4). */
const SEED_STEP = 0x9E3779B9;

/** @param {number} total @param {number} parts @param {number} index @returns {number} one part, as even as possible */
const shareOf = (total, parts, index) => Math.floor(total / parts) + (index < total % parts ? 1 : 0);

/**
 * @param {Config} config of the whole load @param {Host[]} hosts of the clients @param {{takes?: string[], rounds?: boolean}} generator
 * @param {boolean} [isCounted] whether the number of client processes is a condition of the point, which then limits the number of hosts
 * @returns {Share[]} one per host. Only the first hosts, if there are fewer connections than hosts or the load can't be divided
 */
export function splitLoad(config, hosts, { takes = [], rounds }, isCounted = false) {
  const whole = rounds || config.behaviour === 'broadcast'; // connection 0 sends to all others, so they must share a program
  const used = hosts.slice(0, whole ? 1 : Math.min(hosts.length, config.connections, isCounted ? config.processes : Infinity));
  return used.map((host, index) => {
    const connections = shareOf(config.connections, used.length, index);
    const share = connections / config.connections;
    const addresses = config.local_addresses || host.addresses;
    return {
      host: host.name,
      config: {
        ...config, connections,
        processes: Math.max(1, shareOf(config.processes, used.length, index)),
        connect_rate_hz: config.connect_rate_hz * share,
        ...(config.churn_hz !== undefined && { churn_hz: config.churn_hz * share }),
        ...(config.max_connecting !== undefined && { max_connecting: Math.max(1, Math.round(config.max_connecting * share)) }),
        ...(takes.includes('connect_phase') && used.length > 1 && { connect_phase: index / used.length }),
        seed: (config.seed + index * SEED_STEP) % 2 ** 32,
        ...(takes.includes('local_addresses') && addresses && { local_addresses: addressesOf(host) }),
      },
    };
  });
}
