/** Adds up the reports printed by this host's clients each second (clients/CONTRACT.md, While it runs). Silent clients are left out. */

/** @typedef {{t_s: number, latency_p50_us?: number, latency_p99_us?: number} & Record<typeof COUNTS[number], number>} ClientSecond */
/** @typedef {{readLast: () => string | undefined}} Lines printed by a client */

const COUNTS = /** @type {const} */ (['connected', 'due', 'sent', 'received']);
const MESSAGES = /** @type {const} */ (['due', 'sent', 'received']); // counts with a rate
const LATENCIES = /** @type {const} */ (['latency_p50_us', 'latency_p99_us']);

export class ClientSeconds {
  /** @param {Lines[]} clients */
  constructor(clients) {
    /** @type {{lines: Lines, latest?: ClientSecond, rates: Record<string, number>}[]} */
    this.clients = clients.map((lines) => ({ lines, rates: {} }));
  }

  /** @returns {number} seconds of the load at the oldest of the clients' latest reports */
  get told_s() {
    return Math.min(...this.clients.flatMap(({ latest }) => latest?.t_s ?? []));
  }

  /** @returns {Record<string, number> | undefined} undefined if no client has reported since the last call */
  read() {
    const isNew = this.clients.map((client) => this.#readOne(client)).includes(true);
    if (!isNew) return undefined;
    /** @type {Record<string, number>[]} */
    const known = this.clients.flatMap(({ latest, rates }) => (latest ? [{ ...latest, ...rates }] : []));
    const sums = [...COUNTS, ...MESSAGES.map((name) => `${name}_hz`)].map((name) => [name, known.reduce((sum, each) => sum + each[name], 0)]);
    // Percentiles do not add up: report the worst client's
    const worst = LATENCIES.map((name) => [name, Math.max(...known.map((each) => each[name] ?? -Infinity))]);
    return Object.fromEntries([...sums, ...worst].filter(([, value]) => Number.isFinite(value))); // a sum is NaN if a client lacks it
  }

  /** @param {ClientSeconds['clients'][number]} client @returns {boolean} whether it has reported anew */
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

/** @param {string | undefined} line @returns {ClientSecond | undefined} undefined if it violates the contract */
function parse(line) {
  try {
    const second = JSON.parse(line ?? 'null');
    return second && ['t_s', ...COUNTS].every((name) => Number.isFinite(second[name])) ? second : undefined;
  } catch {
    return undefined;
  }
}
