/** Series are reported apart by those who do not see all colours, and in grey. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { differenceCiede2000, filterDeficiencyDeuter, filterDeficiencyProt, filterDeficiencyTrit, filterGrayscale } from 'culori';
import { ROOT } from '../../harness/common/places.js';

/** What is seen without one of the three kinds of cones, and with all of them. */
const SEEN = /** @type {Record<string, (colour: string) => any>} */ ({
  'with all cones': (colour) => colour,
  deuteranopia: filterDeficiencyDeuter(1),
  protanopia: filterDeficiencyProt(1),
  tritanopia: filterDeficiencyTrit(1),
});
const GREY = filterGrayscale(1);
/** CIEDE2000: 2 is just seen side by side; lines that cross a figure want more. */
const LEAST = { series: 8, fills: 8 };
const differ = differenceCiede2000();

const style = readFileSync(join(ROOT, 'plots/style.gp'), 'utf8');
const palette = (/^palette = "(.+)"$/m.exec(style)?.[1] ?? '').split(' ').map((colour) => colour.replace('0x', '#'));

/** @template T @param {T[]} list @returns {[T, T][]} */
const pairsOf = (list) => list.flatMap((first, index) => list.slice(index + 1).map((second) => /** @type {[T, T]} */ ([first, second])));

/** @param {[string, string][]} pairs @param {(colour: string) => any} see @param {number} least @returns {string[]} those alike */
const findAlike = (pairs, see, least) => pairs.map(([a, b]) => ({ a, b, distance: differ(see(a), see(b)) }))
  .filter(({ distance }) => distance < least).map(({ a, b, distance }) => `${a} and ${b}: ${distance.toFixed(1)}`);

test('any two colours of series are told apart with every kind of sight', () => {
  assert.ok(palette.length >= 7, `${palette}`);
  for (const [sight, see] of Object.entries(SEEN)) assert.deepEqual(findAlike(pairsOf(palette), see, LEAST.series), [], sight);
});

test('colours that a colour-blind person takes for one another are found', () => {
  assert.equal(findAlike([['#b05000', '#608000']], SEEN.deuteranopia, LEAST.series).length, 1);
  assert.equal(findAlike([['#b05000', '#608000']], SEEN['with all cones'], LEAST.series).length, 0);
});

test('parts of a bar that lie beside each other differ in grey, and with every kind of sight', () => {
  const scripts = globSync('experiments/*/*.gp', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const fills = scripts.flatMap((script) => [...script.matchAll(/^fills = "(.+)"$/gm)].map(([, parts]) => parts.split(' ')));
  assert.ok(fills.length >= 3);
  for (const parts of fills) {
    const beside = parts.slice(1).map((part, index) => /** @type {[string, string]} */ ([parts[index], part]));
    for (const [sight, see] of Object.entries({ ...SEEN, grey: GREY })) assert.deepEqual(findAlike(beside, see, LEAST.fills), [], sight);
  }
});

/** @param {string} script @returns {string[][]} the points of each function that gives series theirs by number */
const listPoints = (script) => script.split('\n').filter((line) => /^point_of\(\w+\) = .*\? \d+ : .*\d+$/.test(line))
  .map((line) => [...line.matchAll(/[?:] (\d+)(?= :|$)/g)].map(([, point]) => point));

test('in grey series differ by their points: no two of a figure have the same', () => {
  const scripts = globSync(['plots/*.gp', 'experiments/*/*.gp'], { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const points = scripts.flatMap(listPoints);
  assert.ok(points.length >= 6, `${points.length} functions`);
  for (const each of points) assert.equal(new Set(each).size, each.length, each.join(' '));
  assert.deepEqual(listPoints('point_of(k) = k == 1 ? 7 : k == 2 ? 4 : 7'), [['7', '4', '7']]);
});

test('in grey processes differ by the dash or the point of their line', () => {
  const lines = [...style.matchAll(/^set style line \d+ .*? dt (\S+) +pt (\d+)/gm)].map(([, dash, point]) => `${dash} ${point}`);
  assert.ok(lines.length >= 7);
  assert.equal(new Set(lines).size, lines.length);
});
