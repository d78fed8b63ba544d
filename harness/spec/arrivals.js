/**
 * The kinds of arrivals (when a workload's messages are sent). Each entry has the kind's manifest properties, its form at another period,
 * and its words in captions. clients/CONTRACT.md says what a client does with each; generator.toml lists the kinds a generator supports.
 */
import { DAY_MS, list, number, positive, table, whole } from './schema/pieces.js';

/** @typedef {import('./spec.js').Arrivals} Arrivals */
/**
 * @typedef {{properties: Record<string, any>, load: 'open' | 'closed' | 'scripted', words: (arrivals: any) => string,
 *   atPeriod?: (arrivals: any, period_ms: number) => Arrivals}} Kind `properties`: JSON schema of each manifest property besides `kind`,
 *   all required; `words`: for captions; `atPeriod`: the same arrivals at another mean interval per connection
 */

const PERIOD = positive(DAY_MS); // DAY_MS: longest interval between two messages of a connection

/** A rate over all connections, or a share of the saturation found by the workload's search. */
const STEP = table([], { total_rate_hz: number(0, 10000000), share: positive(2), batch: whole(2, 100000) });

/** @param {import('./sweep.js').Staircase} staircase @returns {string} */
function describeStaircase({ step_s, lead_s, steps }) {
  const rates = steps.map(({ total_rate_hz }) => total_rate_hz).filter((rate) => rate !== undefined);
  const shares = steps.flatMap(({ share }) => (share === undefined ? [] : [Math.round(100 * share)]));
  const how = `${step_s} s each${lead_s ? `, the first ${lead_s} s of it left out` : ''}`;
  if (steps.length === 1 && rates[0] === 0) return 'no messages';
  const ofRates = rates.length ? ` and of ${rates.join(', ')} a second` : '';
  if (shares.length) return `random times, ${steps.length} steps of ${[...new Set(shares)].join(', ')} % of the saturation that is found by search${ofRates}, ${how}`;
  return `random times, ${steps.length} steps of ${Math.min(...rates)} to ${Math.max(...rates)} a second over all connections, ${how}`;
}

/** @param {any} arrivals @param {number} period_ms @returns {Arrivals} */
const withPeriod = (arrivals, period_ms) => ({ ...arrivals, period_ms });

/** @type {Record<string, Kind>} */
export const ARRIVALS = {
  'uniform-interval': { // listing A.1 of the thesis: from 0 to twice its mean
    properties: { max_ms: number(1, DAY_MS) }, load: 'open',
    words: ({ max_ms }) => `each connection at its own interval, drawn from 0 to ${max_ms} ms`,
    atPeriod: (arrivals, period_ms) => ({ ...arrivals, max_ms: 2 * period_ms }),
  },
  constant: {
    properties: { period_ms: PERIOD }, load: 'open',
    words: ({ period_ms }) => `each connection every ${period_ms} ms, at a random phase`,
    atPeriod: withPeriod,
  },
  bursts: {
    properties: { period_ms: PERIOD, messages: whole(1, 1000) }, load: 'open',
    words: ({ period_ms, messages }) => `all connections at once every ${period_ms} ms${messages === 1 ? '' : `, ${messages} messages each`}`,
    atPeriod: withPeriod,
  },
  poisson: {
    properties: { rate_hz_per_connection: positive(10000000) }, load: 'open',
    words: ({ rate_hz_per_connection }) => `each connection at random times, ${rate_hz_per_connection} a second`,
    atPeriod: (arrivals, period_ms) => ({ ...arrivals, rate_hz_per_connection: 1000 / period_ms }),
  },
  closed: {
    properties: { outstanding: whole(1, 65536) }, load: 'closed',
    words: ({ outstanding }) => `closed, ${outstanding} message${outstanding === 1 ? '' : 's'} out on each connection`,
  },
  scripted: {
    properties: {}, load: 'scripted',
    words: () => 'one connection that does one thing after the other',
  },
  updates: {
    properties: { period_ms: whole(0, DAY_MS) }, load: 'open',
    words: ({ period_ms }) =>
      (period_ms ? `the server has an update each ${period_ms} ms on average, at random times, for all connections` : 'the server has no updates'),
    atPeriod: withPeriod,
  },
  staircase: {
    properties: { step_s: whole(1, 3600), lead_s: whole(0, 3600), steps: { ...list(STEP), maxItems: 100 } }, load: 'open',
    words: describeStaircase,
  },
};

/** ss takes time, and clients may leave at the window's end. `share` of a burst's period is left for sending and answering. */
const LOOK = { after_s: 0.05, before_s: 0.4, share: 0.75 };

/**
 * When to read the sockets' counters, so that both ends count the same messages: near the window's ends. With bursts, late in a period,
 * when everything sent has been answered and nothing is due.
 * @param {Arrivals} arrivals @param {{from_s: number, to_s: number}} window @returns {[number, number]} s since the start of the load
 */
export function looksWithin({ kind, period_ms = 0 }, { from_s, to_s }) {
  const [first_s, last_s] = [from_s + LOOK.after_s, to_s - LOOK.before_s];
  const period_s = period_ms / 1000;
  const first_burst = Math.ceil(first_s / period_s - LOOK.share);
  const last_burst = Math.floor(last_s / period_s - LOOK.share);
  if (kind !== 'bursts' || first_burst >= last_burst) return [first_s, last_s];
  return [(first_burst + LOOK.share) * period_s, (last_burst + LOOK.share) * period_s];
}

/**
 * Bursts fall on multiples of the period since the start, a window on whole seconds. If possible, a window begins between two bursts, so
 * that no burst is under way when its counts are read.
 * @param {Arrivals} arrivals @param {number} from_s @returns {number} seconds by which to delay it
 */
export const untilBetweenBursts = ({ kind, period_ms = 0 }, from_s) =>
  (kind === 'bursts' && period_ms > 1000 && (1000 * from_s) % period_ms === 0 ? 1 : 0);

/** @returns {any} JSON schema of `arrivals` in a manifest */
export function schemaOfArrivals() {
  const kinds = Object.entries(ARRIVALS).map(([kind, { properties }]) => ({
    if: { properties: { kind: { const: kind } } },
    then: { additionalProperties: false, required: ['kind', ...Object.keys(properties)], properties: { kind: {}, ...properties } },
  }));
  return { type: 'object', required: ['kind'], properties: { kind: { enum: Object.keys(ARRIVALS) } }, allOf: kinds };
}
