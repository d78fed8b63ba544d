/** The result of each comparison, printed at once. */
import { join } from 'node:path';
import { writeTsv } from '../../../harness/common/files.js';

/** @typedef {'yes' | 'NO' | 'shown' | 'not checked'} Passed */
/** @typedef {{check: string, expected: string, found: string, bound: string, passed: Passed}} Row */

const COLUMNS = /** @type {const} */ (['check', 'expected', 'found', 'bound', 'passed']);
const WIDTHS = { check: 58, expected: 16, found: 16, bound: 14, passed: 0 };

/** @param {unknown} value @returns {string} */
const format = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(6))) : typeof value === 'string' ? value : JSON.stringify(value));

export class Verdicts {
  /** @type {Row[]} */
  rows = [];

  printHeader() {
    console.log(COLUMNS.map((column) => column.padEnd(WIDTHS[column])).join('  ').trimEnd());
  }

  /** @param {string} check @param {unknown} expected @param {unknown} found @param {string} bound @param {Passed} passed */
  #add(check, expected, found, bound, passed) {
    const row = { check, expected: format(expected), found: format(found), bound, passed };
    this.rows.push(row);
    console.log(COLUMNS.map((column) => row[column].padEnd(WIDTHS[column])).join('  ').trimEnd());
  }

  /** @param {string} check @param {unknown} expected @param {unknown} found */
  equal(check, expected, found) {
    this.#add(check, expected, found, 'exactly', format(expected) === format(found) ? 'yes' : 'NO');
  }

  /** @param {string} check @param {number} expected @param {number} found @param {number} bound on their difference */
  near(check, expected, found, bound) {
    this.#add(check, expected, found, `within ${format(bound)}`, Math.abs(found - expected) <= bound ? 'yes' : 'NO');
  }

  /** The opposite of `near`. @param {string} check @param {number} expected @param {number} found @param {number} bound */
  far(check, expected, found, bound) {
    this.#add(check, expected, found, `beyond ${format(bound)}`, Math.abs(found - expected) > bound ? 'yes' : 'NO');
  }

  /** @param {string} check @param {number} found @param {number} most */
  atMost(check, found, most) {
    this.#add(check, '', found, `at most ${format(most)}`, found <= most ? 'yes' : 'NO');
  }

  /** @param {string} check @param {number} found @param {number} least */
  atLeast(check, found, least) {
    this.#add(check, '', found, `at least ${format(least)}`, found >= least ? 'yes' : 'NO');
  }

  /** @param {string} check @param {number} found @param {number} least */
  moreThan(check, found, least) {
    this.#add(check, '', found, `over ${format(least)}`, found > least ? 'yes' : 'NO');
  }

  /** Prints a value without judging it. @param {string} check @param {unknown} found @param {unknown} [expected] */
  show(check, found, expected = '') {
    this.#add(check, expected, found, '', 'shown');
  }

  /** @param {string} check @param {string} why */
  skip(check, why) {
    this.#add(check, '', '', '', 'not checked');
    console.log(`  not checked: ${why}`);
  }

  /** @param {string} check @param {string} why it could not be carried out */
  fail(check, why) {
    this.#add(check, '', '', '', 'NO');
    console.log(`  ${why}`);
  }

  /** @param {string} folder */
  write(folder) {
    writeTsv(join(folder, 'checks.tsv'), [...COLUMNS], this.rows);
  }

  /** @param {Passed} passed */
  count(passed) {
    return this.rows.filter((row) => row.passed === passed).length;
  }

  /** @returns {string} the closing line */
  sum() {
    const [passed, failed, skipped] = [this.count('yes'), this.count('NO'), this.count('not checked')];
    return `${passed + failed + skipped} checks, ${passed} passed, ${failed} failed, ${skipped} not checked`;
  }
}
