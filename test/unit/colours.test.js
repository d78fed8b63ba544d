/** Colour-blind readers, and readers of a grey copy, can tell the series of a figure apart. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { converter, differenceCiede2000, filterDeficiencyDeuter, filterDeficiencyProt, filterDeficiencyTrit, filterGrayscale } from 'culori';
import { ROOT } from '../../harness/common/places.js';
import { listPictures } from '../pictures.js';
import { FILLS } from '../../report/figures/bars.js';
import { readEntries } from '../../report/figures/entries.js';
import { PALETTE, ROLE_ORDER, SERIES, lookOfProcess, lookOfThread } from '../../report/figures/looks.js';
import { listExperiments } from '../../harness/spec/spec.js';

/** How a colour looks with all three kinds of cones, and without one of them. */
const SEEN = /** @type {Record<string, (colour: string) => any>} */ ({
  'with all cones': (colour) => colour,
  deuteranopia: filterDeficiencyDeuter(1),
  protanopia: filterDeficiencyProt(1),
  tritanopia: filterDeficiencyTrit(1),
});
const GREY = filterGrayscale(1);
/** In CIEDE2000, where 2 is just visible side by side. Lines across a figure need more. */
const LEAST = { series: 8, fills: 8 };
const differ = differenceCiede2000();
const toLch = converter('lch');
/** Chroma of a colour of a series; colours with less are greys. */
const LEAST_CHROMA = 8;


/** @template T @param {T[]} list @returns {[T, T][]} */
const pairsOf = (list) => list.flatMap((first, index) => list.slice(index + 1).map((second) => /** @type {[T, T]} */ ([first, second])));

/**
 * @param {[string, string][]} pairs @param {(colour: string) => any} see @param {number} least
 * @returns {string[]} pairs that look alike
 */
const findAlike = (pairs, see, least) => pairs.map(([a, b]) => ({ a, b, distance: differ(see(a), see(b)) }))
  .filter(({ distance }) => distance < least).map(({ a, b, distance }) => `${a} and ${b}: ${distance.toFixed(1)}`);

test('any two colours of series are told apart with every kind of sight', () => {
  assert.ok(PALETTE.length >= 7, `${PALETTE}`);
  for (const [sight, see] of Object.entries(SEEN)) assert.deepEqual(findAlike(pairsOf(PALETTE), see, LEAST.series), [], sight);
});

test('colours that a colour-blind person takes for one another are found', () => {
  assert.equal(findAlike([['#b05000', '#608000']], SEEN.deuteranopia, LEAST.series).length, 1);
  assert.equal(findAlike([['#b05000', '#608000']], SEEN['with all cones'], LEAST.series).length, 0);
});

test('parts of a bar that lie beside each other differ in grey, and with every kind of sight', () => {
  const bars = listExperiments().flatMap((name) => Object.values(readEntries(name))).filter(({ kind }) => kind === 'bars');
  const fills = bars.map(({ parts = [], extra }) => parts.map((_, index) => FILLS[extra?.fills?.[index] ?? index]));
  assert.ok(fills.length >= 3);
  for (const parts of fills) {
    const beside = parts.slice(1).map((part, index) => /** @type {[string, string]} */ ([parts[index], part]));
    for (const [sight, see] of Object.entries({ ...SEEN, grey: GREY })) assert.deepEqual(findAlike(beside, see, LEAST.fills), [], sight);
  }
});

/** @param {string} colour @returns {boolean} guides, frames and text are grey, black or white */
const isOfSeries = (colour) => PALETTE.includes(colour.toLowerCase()) || (toLch(colour)?.c ?? 0) > LEAST_CHROMA;

/** @param {string} svg @returns {string} with each mark coloured by itself, not by its group (harness/common/svg.js) */
const ungroup = (svg) => svg.replaceAll(/<g color='([^']*)' transform='scale[^>]*>\n([^]*?)<\/g>/g, (_, colour, marks) => marks.replaceAll('/>', ` color='${colour}'/>`));

/**
 * @param {string} svg a figure
 * @returns {Map<string, string[]>} by colour of a series: its point types, or its dashes if it has no points
 */
function listSeries(svg) {
  const marks = [...ungroup(svg).matchAll(/<use xlink:href='#(gpPt\d+)'[^>]*color='(#[0-9a-fA-F]{6})'/g)]
    .map(([, point, colour]) => ({ colour, sign: point }));
  const lines = [...svg.matchAll(/<path stroke='(#[0-9a-fA-F]{6})'(?: stroke-dasharray='([^']*)')?/g)]
    .map(([, colour, dash = 'solid']) => ({ colour, sign: dash }));
  const signsOf = (/** @type {string} */ colour, /** @type {typeof marks} */ among) =>
    [...new Set(among.filter((each) => each.colour.toLowerCase() === colour).map(({ sign }) => sign))];
  const colours = [...new Set([...marks, ...lines].map(({ colour }) => colour.toLowerCase()))].filter(isOfSeries);
  return new Map(colours.map((colour) => [colour, signsOf(colour, marks).length ? signsOf(colour, marks) : signsOf(colour, lines)]));
}

/**
 * @param {string} svg
 * @returns {string[]} pairs of colours that look alike to some readers; in grey, points or dashes may differ instead
 */
function findConfused(svg) {
  const series = listSeries(svg);
  const share = (/** @type {[string, string]} */ [a, b]) => (series.get(a) ?? []).some((sign) => series.get(b)?.includes(sign));
  const pairs = pairsOf([...series.keys()]);
  return [...Object.entries(SEEN).flatMap(([sight, see]) => findAlike(pairs, see, LEAST.series).map((alike) => `${sight}: ${alike}`)),
    ...findAlike(pairs.filter(share), GREY, LEAST.series).map((alike) => `grey: ${alike}`)];
}

test('in every published figure series can be told apart with every kind of sight, and in grey by shade, point or dash', () => {
  const paths = [...listPictures(), ...globSync('docs/trust/*.svg', { cwd: ROOT }).sort()];
  const series = paths.map((path) => listSeries(readFileSync(join(ROOT, path), 'utf8')));
  assert.ok(series.filter(({ size }) => size > 1).length > 20, 'figures with several series');
  const confused = Object.fromEntries(paths.map((path) => [path, findConfused(readFileSync(join(ROOT, path), 'utf8'))]).filter(([, found]) => found.length));
  assert.deepEqual(confused, {});
});

test('series of a figure that look alike in grey, or to the colour-blind, are found', () => {
  const mark = (/** @type {string} */ colour, /** @type {string} */ point) => `<use xlink:href='#${point}' transform='translate(1,2)' color='${colour}'/>`;
  assert.deepEqual(findConfused(mark('#c04000', 'gpPt6') + mark('#0060a8', 'gpPt4')), []);
  assert.match(findConfused(mark('#b05000', 'gpPt6') + mark('#608000', 'gpPt4')).join(), /^deuteranopia: #b05000 and #608000/);
  const [red, green] = ['#a03838', '#2f6a2f']; // equally dark
  assert.deepEqual(findConfused(mark(red, 'gpPt6') + mark(green, 'gpPt4')).filter((line) => line.startsWith('grey')), []);
  assert.match(findConfused(mark(red, 'gpPt6') + mark(green, 'gpPt6')).join(), /grey: #a03838 and #2f6a2f/);
});

test('in grey series differ by their points: no two of a figure have the same, and processes by their dashes', () => {
  const marks = SERIES.map(({ mark }) => mark);
  assert.equal(new Set(marks).size, marks.length);
  const roles = [...ROLE_ORDER.filter((role) => role !== 'broker'), 'of no role'].map((role) => ({ role, ...lookOfProcess(`${role} 1`) }));
  const dashes = [...roles, ...['server', 'client'].map((side) => ({ role: `further threads of a ${side}`, ...lookOfThread(side) }))];
  const see = (/** @type {string} */ colour) => GREY(colour);
  const isAlike = (/** @type {string[]} */ [a, b]) => findAlike([[a, b]], see, LEAST.series).length > 0;
  const alike = pairsOf(dashes).filter(([a, b]) => a.dash === b.dash && isAlike([a.colour, b.colour]));
  assert.deepEqual(alike.map(([a, b]) => `${a.role} and ${b.role}`), []);
});
