/** The schema of figures.toml: an entry for each figure (CONTRIBUTING.md, A figure). */
import { BOOLEAN, complete, list, table, tableOf, whole } from './pieces.js';

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const CELL = { type: ['string', 'number'] };
/** @param {any} items @returns {any} */
const array = (items) => ({ type: 'array', items });
/** @param {any[]} forms @returns {any} */
const anyOf = (...forms) => ({ anyOf: forms });

const WHERE = { type: 'object', additionalProperties: anyOf(CELL, array(CELL)) };
const BY = complete({ by: TEXT });

const SCALE = table([], {
  column: TEXT, low: TEXT, high: TEXT, title: TEXT, log: BOOLEAN,
  from: NUMBER, to: NUMBER, factor: NUMBER, offset: NUMBER,
  zero: NUMBER, after: TEXT, less: TEXT,
  ticks: array({ ...array(CELL), minItems: 2, maxItems: 2 }),
});

const PANEL = table([], {
  where: WHERE, metric: TEXT, head: TEXT,
  x: SCALE, y: SCALE, axis: TEXT, log: BOOLEAN,
  factor: NUMBER, criterion: array(NUMBER), criterion_words: TEXT,
  at_least: TEXT, published: TEXT, ground: { ...array(NUMBER), minItems: 2, maxItems: 2 },
});

const SERIES = table([], {
  where: WHERE, words: TEXT, caption: TEXT, look: whole(1, 8),
  hollow: BOOLEAN, absent: TEXT, layers: array(TEXT),
  points: array(array(NUMBER)),
});

const FIGURE = table(['kind', 'title'], {
  kind: { enum: ['bars', 'counts', 'dots', 'lines', 'load', 'processes', 'table', 'waterfall'] },
  title: { type: 'string', minLength: 1 }, caption: TEXT, table: TEXT,
  claims: array({ type: 'string', pattern: '^[A-Z][0-9]+[a-z]?$' }), paper: { const: true },
  where: WHERE, columns: { type: 'integer', minimum: 1 },
  panels: anyOf(BY, list(PANEL)),
  series: anyOf(BY, list(SERIES)),
  words: { type: 'object', additionalProperties: TEXT },
  x: SCALE, y: SCALE,
  rows: array(TEXT), sort: BOOLEAN, parts: array(TEXT),
  extra: { type: 'object' },
});

export const FIGURES = { ...tableOf({ pattern: '^[a-z0-9-]+$' }, FIGURE), minProperties: 1 };
