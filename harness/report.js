/** What a person reads at the end of a run: the table of the result, the verdicts, where the figures are. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openBundle } from './bundle.js';
import { describeCondition } from './condition.js';
import { readJson, readTsv } from './files.js';

/** @typedef {import('./verdict.js').Verdict} Verdict */

/** @param {number | null} x @returns {string} three significant digits */
export const digits = (x) => (x === null ? '-' : Number(x.toPrecision(3)).toString());

/** @param {Pick<Verdict, 'median' | 'low' | 'high'>} row @returns {string} such as "2.41 [2.33, 2.52]" */
export function formatInterval({ median, low, high }) {
  if (median === null) return '-';
  return low === null ? `${digits(median)} [no interval]` : `${digits(median)} [${digits(low)}, ${digits(high)}]`;
}

/**
 * @param {string[]} header @param {string[][]} rows
 * @returns {string} columns aligned with spaces
 */
export function formatTable(header, rows) {
  const widths = header.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index].length)));
  return [header, ...rows].map((row) => row.map((cell, index) => cell.padEnd(widths[index])).join('  ').trimEnd()).join('\n');
}

/** Columns of the result's table: heading, metric. @type {[string, string][]} */
const RESULT_COLUMNS = [
  ['server CPU s/1,000', 'server_cpu_s_per_1k'],
  ['client CPU s/1,000', 'client_cpu_s_per_1k'],
  ['p50 ms from due', 'latency_p50_ms'],
  ['p90', 'latency_p90_ms'],
  ['p99', 'latency_p99_ms'],
  ['msg/s', 'received_hz'],
  ['connected', 'connected_at_end'],
];

/** @param {string} bundle @param {any} spec @returns {string} */
function resultTable(bundle, spec) {
  const points = readTsv(join(bundle, 'reduced', 'points.tsv'));
  const rows = spec.axes.workload.flatMap((/** @type {string} */ workload) => spec.axes.engine.map((/** @type {string} */ engine) => {
    const own = points.filter((row) => row.engine === engine && row.workload === workload);
    const cells = RESULT_COLUMNS.map(([, metric]) => {
      const point = own.find((row) => row.metric === metric);
      if (!point) return '-';
      const interval = point.low === '-' || !metric.includes('_per_1k') ? '' : ` [${digits(Number(point.low))}, ${digits(Number(point.high))}]`;
      return digits(Number(point.median)) + interval;
    });
    return [workload, engine, spec.engines[engine].era, own[0]?.n ?? '0', ...cells];
  }));
  return formatTable(['workload', 'engine', 'era', 'n', ...RESULT_COLUMNS.map(([heading]) => heading)], rows);
}

/**
 * The verdicts in words, a line for each claim, era and baseline.
 * @param {Verdict[]} verdicts
 * @returns {string[]} such as "T4 2014, socketcluster-2014 / socket.io-2014: 1.47 to 1.67 (criterion >1), reproduced 2 of 2"
 */
export function summariseVerdicts(verdicts) {
  const name = (/** @type {Verdict} */ row) => `${row.claim} ${row.era}, ${row.of}${row.to === '-' ? ` ${row.metric}` : ` / ${row.to}`}`;
  return [...new Set(verdicts.map(name))].map((group) => {
    const own = verdicts.filter((row) => name(row) === group);
    const medians = own.map(({ median }) => median).filter((median) => median !== null).sort((a, b) => a - b);
    const range = medians.length ? [...new Set([medians[0], medians[medians.length - 1]].map(digits))].join(' to ') : 'nothing';
    const words = [...new Set(own.map(({ verdict }) => verdict))];
    const counts = words.map((word) => `${word} ${own.filter(({ verdict }) => verdict === word).length} of ${own.length}`);
    return `${group}: ${range} (criterion ${own[0].criterion}), ${counts.join(', ')}`;
  });
}

/** @param {Verdict[]} verdicts @returns {string} what to make of them: nothing, where no point has trials enough */
function describeVerdicts(verdicts) {
  if (verdicts.length === 0) return 'This experiment judges no claim.';
  const lines = summariseVerdicts(verdicts).join('\n');
  if (verdicts.every(({ low }) => low === null)) return `${lines}\nNo claim is judged: an interval takes six trials a point; run PROFILE=default or paper.`;
  return `${lines}\n\n${verdictTable(verdicts)}`;
}

/** @param {Verdict[]} verdicts @returns {string} */
function verdictTable(verdicts) {
  const rows = verdicts.map((row) => [
    row.claim, row.era, row.workload, row.to === '-' ? `${row.of} ${row.metric}` : `${row.of} / ${row.to}`,
    `${row.criterion}`, formatInterval(row), String(row.n), row.verdict,
  ]);
  return formatTable(['claim', 'era', 'workload', 'what', 'criterion', 'median [95 %]', 'n', 'verdict'], rows);
}

/** @param {string} bundle @param {string[]} figures */
export function printResult(bundle, figures) {
  const { spec } = openBundle(bundle);
  const { verdicts } = readJson(join(bundle, 'verdict.json'));
  const dropped = readTsv(join(bundle, 'reduced', 'dropped.tsv'));
  const captures = readTsv(join(bundle, 'reduced', 'points.tsv')).filter(({ metric }) => metric === 'capture_cpu_cores');
  const capture = Math.max(0, ...captures.map(({ median }) => Number(median)));
  console.log(`\n${spec.title} (${spec.source})\n${describeCondition(spec).join('\n')}\n`);
  console.log(`${resultTable(bundle, spec)}\n\n${describeVerdicts(verdicts)}\n`);
  console.log(`the capture itself used at most ${digits(capture)} of a core (median of the point where it was most)`);
  for (const { trial, reason, value, bound } of dropped) console.log(`left out: ${trial}: ${reason}${value === '-' ? '' : ` (${value}, bound ${bound})`}`);
  if (existsSync(join(bundle, 'figures'))) console.log(figures.filter((path) => path.endsWith('.png')).map((path) => `figure  ${path}`).join('\n'));
  console.log(`bundle  ${relative(process.cwd(), bundle)}`);
}
