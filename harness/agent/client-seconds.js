/**
 * What the clients of this host tell each second of the load (clients/CONTRACT.md, While it runs), summed up;
 * those that tell nothing are left out.
 */

/** @typedef {{t_s: number, latency_p50_us?: number, latency_p99_us?: number} & Record<typeof COUNTS[number], number>} ClientSecond */
/** @typedef {{readLast: () => string | undefined}} Lines that a client tells */

const COUNTS = /** @type {const} */ (['connected', 'due', 'sent', 'received']);
const MESSAGES = /** @type {const} */ (['due', 'sent', 'received']); // those that have a rate
const LATENCIES = /** @type {const} */ (['latency_p50_us', 'latency_p99_us']);

export class ClientSeconds {
  /** @param {Lines[]} clients */
  constructor(clients) {
    /** @type {{lines: Lines, latest?: ClientSecond, rates: Record<string, number>}[]} */
    this.clients = clients.map((lines) => ({ lines, rates: {} }));
  }

  /** @returns {number} seconds of the load: when the rest was so of the one that told it first */
  get told_s() {
    return Math.min(...this.clients.flatMap(({ latest }) => latest?.t_s ?? []));
  }

  /** @returns {Record<string, number> | undefined} nothing when none has told anything since the last time */
  read() {
    const isNew = this.clients.map((client) => this.#readOne(client)).includes(true);
    if (!isNew) return undefined;
    /** @type {Record<string, number>[]} */
    const known = this.clients.flatMap(({ latest, rates }) => (latest ? [{ ...latest, ...rates }] : []));
    const sums = [...COUNTS, ...MESSAGES.map((name) => `${name}_hz`)].map((name) => [name, known.reduce((sum, each) => sum + each[name], 0)]);
    // Percentiles do not add up: of several clients the worst is told
    const worst = LATENCIES.map((name) => [name, Math.max(...known.map((each) => each[name] ?? -Infinity))]);
    return Object.fromEntries([...sums, ...worst].filter(([, value]) => Number.isFinite(value))); // a sum is NaN where one lacks it
  }

  /** @param {ClientSeconds['clients'][number]} client @returns {boolean} has it told anything new? */
  #readOne(client) {
    const now = parse(client.lines.readLast());
    if (!now) return false;
    const { latest: before } = client;
    client.latest = now;
    const seconds = before && now.t_s > before.t_s ? now.t_s - before.t_s : NaN;
    const rate = (/** @type {typeof MESSAGES[number]} */ name) => Math.round((now[name] - (before?.[name] ?? NaN)) / seconds);
    client.rates = Object.fromEntries(MESSAGES.map((name) => [`${name}_hz`, rate(name)]));
    return true;
  }
}

/** @param {string | undefined} line @returns {ClientSecond | undefined} nothing where it is not as the contract has it */
function parse(line) {
  try {
    const second = JSON.parse(line ?? 'null');
    return second && ['t_s', ...COUNTS].every((name) => Number.isFinite(second[name])) ? second : undefined;
  } catch {
    return undefined;
  }
}
