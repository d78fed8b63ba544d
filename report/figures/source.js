/** The data of figures: a bundle's tables, its plan, and words for their values. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { max } from 'd3-array';
import { readTsv } from '../../harness/common/files.js';
import { EXPERIMENTS } from '../../harness/common/places.js';
import { tablesOf } from '../../harness/common/tables.js';
import { listMachines } from '../../harness/records/machines.js';
import { isKept } from '../../harness/records/sources.js';
import { resolveConditions } from '../../harness/spec/points.js';
import { describeArrivals } from '../condition.js';
import { settingOf } from '../setting-labels.js';
import { formatTick } from './words.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./entries.js').Where} Where */

/** An experiment's module that derives more tables for its figures: `makeRows(read, others)`, `others` being runs of other machines. */
const OWN = 'figures.js';

/** @param {string} bundle @param {any} spec @param {Row[]} plan @returns {Promise<Source>} */
export async function openSource(bundle, spec, plan) {
  const own = join(EXPERIMENTS, spec.experiment, OWN);
  if (!existsSync(own)) return new Source(bundle, spec, plan);
  const { makeRows } = await import(pathToFileURL(own).href);
  const others = (isKept(spec, bundle) ? listMachines(spec.experiment) : []).map(({ folder, machine }) =>
    ({ machine, read: (/** @type {string} */ table) => readTsv(join(tablesOf(folder), `${table}.tsv`)) }));
  return new Source(bundle, spec, plan, (read) => makeRows(read, others));
}

export class Source {
  /**
   * @param {string} bundle @param {any} spec @param {Row[]} plan
   * @param {(read: (table: string) => Row[]) => Record<string, Row[]>} [makeRows]
   */
  constructor(bundle, spec, plan, makeRows) {
    this.folder = tablesOf(bundle);
    this.spec = spec;
    this.plan = [...plan].sort((a, b) => Number(a.point) - Number(b.point));
    /** @type {Map<string, string>} by point */
    this.connections = new Map();
    /** @type {Map<string, Row[]>} */
    this.tables = new Map();
    for (const [table, rows] of Object.entries(makeRows?.((name) => this.rows(name)) ?? {})) this.tables.set(table, rows);
    const points = new Set(this.plan.map((row) => keyOf(row)));
    /** @type {Map<string, number>} the order of the plan */
    this.places = new Map([...points].map((point, place) => [point, place]));
  }

  /** @param {string} table @returns {Row[]} empty if there is none */
  rows(table) {
    const known = this.tables.get(table);
    if (known) return known;
    const rows = readTsv(join(this.folder, `${table}.tsv`)).map((row) => this.addConnections(row));
    this.tables.set(table, rows);
    return rows;
  }

  /**
   * @param {Row} row
   * @returns {Row} of a point, with its number of connections (of its setting or the profile); per client if the load is
   *   given so
   */
  addConnections(row) {
    const { engine, workload, setting } = row;
    if (!setting || 'connections' in row || !this.spec.engines[engine] || !this.spec.workloads[workload]) return row;
    const key = keyOf(row);
    const known = this.connections.get(key) ?? this.countConnections({ engine, workload, setting });
    this.connections.set(key, known);
    return { ...row, connections: known };
  }

  /** @param {import('../../harness/spec/points.js').Point} point @returns {string} */
  countConnections(point) {
    const { connections, client_processes: clients } = resolveConditions(this.spec, point);
    return String(this.spec.load?.per_client ? connections / clients : connections);
  }

  /**
   * Leaves out rows of a second generator, the twins of other points. A figure that compares generators asks for them.
   * @param {string} table @param {Where} [where] @returns {Row[]}
   */
  select(table, where = {}) {
    const [, second] = this.spec.axes.generator ?? [];
    const isTwin = (/** @type {Row} */ row) =>
      second && !('to_setting' in row || 'setting.generator' in where) && readField(row, 'setting.generator') === second;
    return this.rows(table).filter((row) => matches(row, where) && !isTwin(row));
  }

  /** @param {string} figure of the source @param {string} side @returns {number | undefined} the highest CPU that it shows, % of a core */
  publishedPct(figure, side) {
    const published = readTsv(join(EXPERIMENTS, this.spec.experiment, 'published.tsv'));
    return max(published.filter((row) => row.figure === figure && row.side === side), (row) => numberOf(row.peak_cpu_pct));
  }

  /** @param {Row} row @returns {number} its place in the plan */
  placeOf(row) {
    return this.places.get(keyOf(row)) ?? this.places.size;
  }

  /** @param {string} engine @returns {string} */
  titleOf(engine) {
    return this.spec.engines[engine]?.title ?? (engine === 'published' ? 'the source' : engine);
  }

  /** @param {Row} row @returns {string} '' for the default */
  settingOf(row) {
    return settingOf(row, this.spec);
  }

  /** @param {string} workload @returns {string} when messages are sent */
  arrivalsOf(workload) {
    const said = this.spec.workloads[workload] ? describeArrivals(this.spec.workloads[workload]) : '';
    return said.replaceAll(/\d+(\.\d+)?/g, (number, decimals) => formatTick(Number(decimals ? Number(number).toPrecision(3) : number)));
  }

  /** @param {Row} row @param {string} column @param {Record<string, string>} [words] of the entry @returns {string} */
  wordsOf(row, column, words = {}) {
    const value = readField(row, column);
    if (Object.hasOwn(words, value)) return words[value];
    if (column === 'setting') return this.settingOf(row) || 'default';
    return ['engine', 'of', 'to', 'source', 'base'].includes(column) || value === 'published' ? this.titleOf(value) : value;
  }
}

/** @param {Row} row @param {string} column its name, or `setting.KEY` @returns {string} '' if missing */
export const readField = (row, column) => row[column] ?? '';

/** Columns that name a point, in the order in which a chart nests its rows. */
export const POINT = ['workload', 'engine', 'setting'];

/** @param {Row} row @param {string[]} [columns] that name what it is of @returns {string} their values, as a key */
export const keyOf = (row, columns = POINT) => columns.map((column) => readField(row, column)).join('|');

/** @param {Row[]} rows @param {string} column @returns {string[]} its distinct values, in order */
export const distinct = (rows, column) => [...new Set(rows.map((row) => readField(row, column)))];

/** @param {Row} row @param {Where} where @returns {boolean} */
export function matches(row, where) {
  return Object.entries(where).every(([column, wanted]) => [wanted].flat().map(String).includes(readField(row, column)));
}

/** @param {string | undefined} cell @returns {number} NaN if missing */
export const numberOf = (cell) => (cell === undefined || cell === '-' || cell === '' ? NaN : Number(cell));
