/** The yardstick of a host (yardstick/yardstick.c): built once per agent, run when the coordinator asks, never during a trial. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../common/places.js';

/** @typedef {Record<string, number | null>} Charges The program's results; null: not available here */
/** @typedef {{charges: Charges} | {absent: string}} Reading A reading, or why there is none */

const SOURCE = join(ROOT, 'harness', 'yardstick', 'yardstick.c');
const BUILT_WITHIN_MS = 60_000;

/** @param {number} length_s its argument @returns {number} time limit in ms, after its own alarm */
const limitOf = (length_s) => 1000 * (15 + 5 * length_s);

/** @param {string} said by the program @returns {Reading} absent if it is not JSON, such as NaN for 0/0; the run goes on without it */
export function parseCharges(said) {
  try {
    return { charges: JSON.parse(said) };
  } catch {
    return { absent: `it told what is no JSON: ${JSON.stringify(said.trim().slice(0, 300))}` };
  }
}

export class Yardstick {
  /** @param {import('./host.js').LocalHost} host */
  constructor(host) {
    this.host = host;
    this.program = join(host.runDir, 'yardstick');
    this.built = /** @type {Promise<string | undefined> | undefined} */ (undefined);
  }

  /** @param {{length_s: number}} given @returns {Promise<Reading>} */
  async measure({ length_s }) {
    this.built ??= this.#build();
    const why = await this.built;
    if (why) return { absent: why };
    const { failed, said } = await this.#run([this.program, String(length_s)], 'capture', limitOf(length_s));
    return failed ? { absent: `it ${failed}` } : parseCharges(said);
  }

  /** @returns {Promise<string | undefined>} why it can't be built, if so */
  async #build() {
    const { failed } = await this.#run(['cc', '-O2', '-pthread', '-o', this.program, SOURCE], 'build', BUILT_WITHIN_MS);
    return failed && `the C compiler ${failed}`;
  }

  /** @param {string[]} argv @param {'build' | 'capture'} side @param {number} limit_ms */
  async #run(argv, side, limit_ms) {
    const [stdout, stderr] = ['out', 'err'].map((ending) => `${this.program}.${ending}`);
    [stdout, stderr].forEach((path) => rmSync(path, { force: true }));
    try {
      const started = await this.host.start({ argv, cwd: this.host.runDir, side, stdout, stderr });
      const exit = await started.endWithin(limit_ms);
      if (!exit) return { failed: `did not end within ${limit_ms / 1000} s`, said: '' };
      return { failed: exit.code === 0 ? undefined : started.describeEnd(), said: readFileSync(stdout, 'utf8') };
    } catch (error) {
      return { failed: `could not be run: ${/** @type {Error} */ (error).message}`, said: '' };
    }
  }
}
