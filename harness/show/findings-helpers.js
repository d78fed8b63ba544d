/** The helpers of findings.md: each takes the tables, its arguments and Handlebars' options, and answers in words. */
import { UserError } from '../common/failure.js';
import { countWords } from './report.js';
import { countTrials, digits, formatInterval, numberOrNull } from '../common/format.js';

/** @typedef {import('./findings.js').Tables} Tables */
/** @typedef {Record<string, any>} Row */
/** @typedef {(this: any, tables: Tables, args: any[], options: any) => unknown} Helper */

/** Columns that hold what was found, which tells no row from another. */
const NUMBERS = ['n', 'mean', 'low', 'high', 'scale', 'degrees', 'value', 'se', 'verdict', 'p', 'decided_by', 'needs'];

const ERAS = ['2014', 'today'];

/** @typedef {{low: number, high: number}} Interval */

/** A number of a table: full in a calculation (`times`, `percent`, `ifAbove`), and in the text as a person reads it. */
class Quantity {
  /** @param {number} value @param {string} [text] @param {Interval} [interval] where one is known */
  constructor(value, text = digits(value), interval = undefined) {
    this.value = value;
    this.text = text;
    this.interval = interval;
  }

  /** @param {string} hint `number` in a calculation, `default` where Handlebars joins the text */
  [Symbol.toPrimitive](hint) {
    return hint === 'number' ? this.value : this.text;
  }
}

/**
 * @param {Row} row with mean, low and high, as text of a table or as numbers
 * @returns {Quantity} "2.41 [2.33, 2.52]"; "2.41 [no interval: 2 trials]" where the row says how many there are
 */
function measure({ mean, low, high, n }) {
  const [middle, lowest, highest] = [mean, low, high].map((cell) => (typeof cell === 'string' ? numberOrNull(cell) : cell));
  if (middle === null) throw new UserError('what is asked for was not run; run the trials that are missing');
  if (lowest === null && n > 0) return new Quantity(middle, `${digits(middle)} [no interval: ${countTrials(n)}]`);
  const text = formatInterval({ mean: middle, low: lowest, high: highest });
  return new Quantity(middle, text, lowest === null || highest === null ? undefined : { low: lowest, high: highest });
}

/**
 * The rows that have the wanted cells.
 * @param {string} table for the error @param {Row[]} rows @param {Record<string, unknown>} wanted by column
 * @returns {Row[]} at least one
 * @throws {UserError} naming the first cell that leaves none, and what there is in its place
 */
function findRows(table, rows, wanted) {
  const cells = Object.entries(wanted).map(([column, cell]) => `${column} ${cell}`).join(', ');
  let found = rows;
  for (const [column, cell] of Object.entries(wanted)) {
    const left = found.filter((row) => row[column] === String(cell));
    if (left.length === 0) {
      const known = [...new Set(found.map((row) => row[column]))].join(', ');
      throw new UserError(`${table} has no ${cells}; ${known ? `for ${column} "${cell}" use one of ${known}` : 'it holds nothing: run the experiment'}`);
    }
    found = left;
  }
  return found;
}

/** @param {string} table @param {Row[]} rows @param {Record<string, unknown>} wanted @returns {Row} the one there is @throws {UserError} */
function findRow(table, rows, wanted) {
  const found = findRows(table, rows, wanted);
  if (found.length === 1) return found[0];
  const isTelling = (/** @type {string} */ column) => !NUMBERS.includes(column) && new Set(found.map((row) => row[column])).size > 1;
  const columns = Object.keys(found[0]).filter(isTelling);
  const cells = Object.entries(wanted).map(([column, cell]) => `${column} ${cell}`).join(', ');
  throw new UserError(`${table} has ${found.length} rows of ${cells}; say which, by ${columns.join(', ')}`);
}

/** @param {Tables} tables @param {string[]} args @returns {Row} */
const findPoint = ({ points }, [engine, workload, setting, metric]) => findRow('reduced/points.tsv', points, { engine, workload, setting, metric });

/** @param {Tables} tables @param {string[]} args @param {any} options further columns by name, such as to="ws" @returns {Row[]} */
function findVerdicts({ verdicts }, [claim, era], { hash }) {
  return findRows('verdict.json', verdicts, { ...(claim && { claim }), ...(era && { era }), ...hash });
}

/**
 * @param {Tables} tables @param {string} claim @param {string} era
 * @returns {boolean} is it a claim of which the run has no row in this era? Engines that were not chosen have none.
 */
const isWithout = ({ verdicts, claims }, claim, era) =>
  ERAS.includes(era) && claims.some((row) => row.claim === claim) && !verdicts.some((row) => row.claim === claim && row.era === era);

/**
 * One cell of any reduced table.
 * @param {Tables} tables @param {string[]} args the table and the column @param {Record<string, unknown>} wanted what singles out its row
 * @returns {Quantity | string} text where it is no number
 * @throws {UserError}
 */
function findCell({ read }, [table, column], wanted) {
  const row = findRow(`reduced/${table}.tsv`, read(table), wanted);
  const cell = row[column];
  if (cell === undefined) throw new UserError(`reduced/${table}.tsv has no column ${column}; use one of ${Object.keys(row).join(', ')}`);
  if (cell === '-') throw new UserError(`reduced/${table}.tsv has "-" for ${column}: there was nothing to reckon it from; run the trials that are missing`);
  return Number.isNaN(Number(cell)) ? cell : new Quantity(Number(cell));
}

/** @param {unknown} value @param {string} helper @returns {number} @throws {UserError} */
function toNumber(value, helper) {
  const number = typeof value === 'string' ? undefined : Number(value);
  if (number !== undefined && value !== undefined) return number; // NaN where the value's own problem is told already
  throw new UserError(`${helper}: ${value} is no number; give it (mean …), (ratio …), (fit …), (cell …) or a number`);
}

/** @param {any[]} args one number, or two to divide @param {string} helper @returns {number} */
const divide = (args, helper) => toNumber(args[0], helper) / (args.length > 1 ? toNumber(args[1], helper) : 1);

/**
 * @param {unknown} value of `point`, `ratio`, `fit` or `estimate`, with its interval; or a number, which is certain
 * @returns {Interval | undefined} where it surely lies; not known of a mean of too few trials
 */
function intervalOf(value) {
  if (value instanceof Quantity) return value.interval;
  const certain = toNumber(value, 'ifSurelyAbove');
  return { low: certain, high: certain };
}

/** @param {any[]} factors @returns {Interval | undefined} of a product of numbers and of one quantity that has an interval */
function scaleInterval(factors) {
  const [estimate, ...others] = factors.filter((factor) => factor instanceof Quantity && factor.interval);
  if (!estimate || others.length) return undefined;
  const scale = factors.filter((factor) => factor !== estimate).reduce((product, factor) => product * Number(factor), 1);
  return scale > 0 ? { low: scale * estimate.interval.low, high: scale * estimate.interval.high } : undefined;
}

/** @param {any} context @param {any} options @param {boolean} condition @returns {string} @throws {UserError} */
function choose(context, options, condition) {
  if (!options.fn) throw new UserError(`${options.name} is a block; write {{#${options.name} …}}…{{else}}…{{/${options.name}}}`);
  return condition ? options.fn(context) : options.inverse(context);
}

/** @type {Record<string, Helper>} */
export const HELPERS = {
  /** `point ENGINE WORKLOAD SETTING METRIC`: "2.41 [2.33, 2.52]" */
  point: (tables, args) => measure(findPoint(tables, args)),
  /** `mean ENGINE WORKLOAD SETTING METRIC`: "2.41" */
  mean: (tables, args) => new Quantity(Number(findPoint(tables, args).mean)),
  /** `trials ENGINE WORKLOAD SETTING METRIC`, how many there are of it: "6 trials" */
  trials: (tables, args) => countTrials(findPoint(tables, args).n),
  /** `ratio claim="T4" era="2014" of="a" to="b" workload="listed"`, as many of the columns as single one out: "1.56 [1.47, 2]" */
  ratio: ({ verdicts }, _args, { hash }) => measure(findRow('verdict.json', verdicts, hash)),
  /** `range CLAIM ERA of="a" …`: the least and the greatest mean, "1.55 to 1.56" */
  range(tables, args, options) {
    const means = findVerdicts(tables, args, options).map(({ mean }) => mean).filter((mean) => mean !== null);
    if (means.length === 0) throw new UserError(`verdict.json has no number for range ${args.join(' ')}; run the trials that are missing`);
    return [...new Set([Math.min(...means), Math.max(...means)].map(digits))].join(' to ');
  },
  /** `verdict CLAIM ERA of="a" …`: "reproduced (4 of 4)" */
  verdict(tables, args, options) {
    return countWords(findVerdicts(tables, args, options).map(({ verdict }) => verdict));
  },
  /** `judgement CLAIM ERA`, the one verdict over all of its rows: "reproduced" */
  judgement: ({ judged }, [claim, era]) => findRow('verdict.json', judged, { claim, era }).verdict,
  /** `#ifVerdict CLAIM ERA "reproduced" of="a" …`: are all of them so? Without a word: was any run? No row of the era: no. */
  ifVerdict(tables, [claim, era, word], options) {
    if (isWithout(tables, claim, era)) return choose(this, options, false);
    const found = findVerdicts(tables, [claim, era], options).map(({ verdict }) => verdict);
    return choose(this, options, word === undefined ? found.some((verdict) => verdict !== 'not run') : found.every((verdict) => verdict === word));
  },
  /** `#ifJudged CLAIM "reproduced" era="2014"`: is that its one verdict, in that era or in each? */
  ifJudged({ judged }, [claim, word], options) {
    return choose(this, options, findRows('verdict.json', judged, { claim, ...options.hash }).every(({ verdict }) => verdict === word));
  },
  /** `#ifRun ENGINE WORKLOAD SETTING METRIC`: is there a trial of that point that stands? */
  ifRun({ points, engines }, [engine, workload, setting, metric], options) {
    findRow('spec.json', engines, { engine });
    const wanted = { engine, workload, setting, metric };
    return choose(this, options, points.some((row) => Object.entries(wanted).every(([column, cell]) => row[column] === cell)));
  },
  /** `enginesAbove WORKLOAD SETTING METRIC BOUND`: "gorilla, uws and ws"; nothing, which is false to `#if`, where none is */
  enginesAbove({ points }, [workload, setting, metric, bound]) {
    const own = points.filter((row) => row.workload === workload && row.setting === setting && row.metric === metric);
    const names = own.filter(({ mean }) => Number(mean) > toNumber(bound, 'enginesAbove')).map(({ engine }) => engine).sort();
    return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
  },
  /** `#ifAbove value bound` */
  ifAbove(_tables, [value, bound], options) {
    return choose(this, options, toNumber(value, 'ifAbove') > toNumber(bound, 'ifAbove'));
  },
  /** `#ifSurelyAbove value bound`: does the interval of the one lie wholly above that of the other, or above a number? */
  ifSurelyAbove(_tables, [value, bound], options) {
    const [upper, lower] = [value, bound].map(intervalOf);
    return choose(this, options, upper !== undefined && lower !== undefined && upper.low > lower.high);
  },
  /** `fit LAW ENGINE PARAMETER workload="listed" setting="…"`: "0.031 [0.02, 0.04]" */
  fit({ fits }, [law, engine, parameter], { hash }) {
    const { value, low, high } = findRow('reduced/fits.tsv', fits, { law, engine, parameter, ...hash });
    return measure({ mean: value, low, high });
  },
  /** `cell TABLE COLUMN role="worker" …`, of any reduced/TABLE.tsv, by as many of its columns as single a row out: "0.81" */
  cell: (tables, args, { hash }) => findCell(tables, args, hash),
  /** `estimate TABLE MEAN LOW HIGH engine="a" …`, three columns of any reduced/TABLE.tsv: "63.9 [47.3, 82.5]" */
  estimate({ read }, [table, mean, low, high], { hash }) {
    const row = findRow(`reduced/${table}.tsv`, read(table), hash);
    const missing = [mean, low, high].find((column) => row[column] === undefined);
    if (missing) throw new UserError(`reduced/${table}.tsv has no column ${missing}; use three of ${Object.keys(row).join(', ')}`);
    return measure({ mean: row[mean], low: row[low], high: row[high], n: row.n });
  },
  /** `within TABLE COLUMN BOUND era="2014" …`: of the rows with a number there, how many lie between -BOUND and BOUND: "11 of 20" */
  within({ read }, [table, column, bound], { hash }) {
    const rows = findRows(`reduced/${table}.tsv`, read(table), hash);
    if (rows[0]?.[column] === undefined) throw new UserError(`reduced/${table}.tsv has no column ${column}; use one of ${Object.keys(rows[0] ?? {}).join(', ')}`);
    const numbers = rows.map((row) => numberOrNull(row[column])).filter((number) => number !== null);
    return `${numbers.filter((number) => Math.abs(number) <= toNumber(bound, 'within')).length} of ${numbers.length}`;
  },
  /** `version ENGINE`: "1.0.6" */
  version: ({ engines }, [engine]) => findRow('spec.json', engines, { engine }).version,
  /** `claimed CLAIM`: the source's words */
  claimed: ({ claims }, [claim]) => findRow('experiments/claims.tsv', claims, { claim }).words,
  /** `published CLAIM`: the source's number */
  published: ({ claims }, [claim]) => findRow('experiments/claims.tsv', claims, { claim }).published,
  /** `percent share` or `percent part whole`: "3.1 %" */
  percent: (_tables, args) => `${digits(100 * divide(args, 'percent'))} %`,
  /** `times factor` or `times of to`: "2.4 times" */
  times: (_tables, args) => `${digits(divide(args, 'times'))} times`,
  /** `difference a b`, the lesser from the greater: "5.4" */
  difference: (_tables, args) => new Quantity(Math.abs(toNumber(args[0], 'difference') - toNumber(args[1], 'difference'))),
  /** `product a b …`: "12.3" */
  product(_tables, args) {
    const product = args.reduce((sofar, factor) => sofar * toNumber(factor, 'product'), 1);
    return new Quantity(product, digits(product), scaleInterval(args));
  },
};
