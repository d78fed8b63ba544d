/** The caption of a figure says what a reader needs. Everything else is in its description and its text version. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { describePlainly } from '../../report/condition.js';
import { makeSpec } from '../../harness/spec/spec.js';
import { listPictures } from '../pictures.js';
import { sayMeans } from '../../report/figures/chart.js';

const MOST_LINES = 8;

/** @param {string} svg @returns {string[]} the lines of its caption: at the left edge, below all other text */
function readCaption(svg) {
  const found = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)];
  const texts = found.map(([, x, y, words]) => ({ x: Number(x), y: Number(y), words }));
  const edge = Math.min(...texts.map(({ x }) => x));
  const lowest = Math.max(...texts.filter(({ x }) => x !== edge).map(({ y }) => y));
  return texts.filter(({ x, y }) => x === edge && y > lowest).map(({ words }) => words);
}

test('the caption of each picture of record is eight lines at most, and its description says more', () => {
  const paths = listPictures();
  assert.ok(paths.length > 50, `${paths.length}`);
  for (const path of paths) {
    const svg = readFileSync(join(ROOT, path), 'utf8');
    const lines = readCaption(svg);
    assert.ok(lines.length >= 1 && lines.length <= MOST_LINES, `${path}: ${lines.join('\n')}`);
    const [, description = ''] = /<desc>([^<]*)<\/desc>/.exec(svg) ?? [];
    assert.ok(description.length > lines.join(' ').length, path);
    assert.match(description, /seed \d+/, path);
  }
});

test('the lines of a caption are found, and no word of an axis', () => {
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words) => `<text x="${x}" y="${y}" fill="x">${words}</text>`;
  assert.deepEqual(readCaption([text(10, 16, 'title'), text(200, 90, 'axis'), text(10, 110, 'a'), text(10, 122.5, 'b')].join('')), ['a', 'b']);
});

/** @param {Record<string, number>} validity @param {object} [more] of the environment @returns {string} */
function brief(validity, more = {}) {
  const spec = makeSpec('03-engineio-vs-socketcluster', 'default', 1);
  const whole = { ...spec, validity: { ...spec.validity, ...validity }, environment: { cores: 2, hypervisor: 'yes', ...more } };
  return describePlainly(/** @type {any} */ (whole), Array.from({ length: 40 }, () => ({})), [{ trial: 'a', reason: 'steal' }, { trial: 'a', reason: 'late-sends' }]);
}

test('the conditions in brief say how many trials there are, which load, on what machine', () => {
  const said = brief({}).split(' Trials are')[0];
  assert.equal(said.slice(said.indexOf('Profile')), 'Profile default: 40 trials, 1 left out. Open load; 2 cores of a virtual machine, shared by all processes.');
});

test('a container is named in every caption', () => {
  assert.match(brief({}, { container: { kind: 'podman' } }), /2 cores of a virtual machine in a container \(podman\), shared by all/);
});

test('rules whose bounds were loosened are named in every caption', () => {
  assert.match(brief({ steal_share_max: 0.5 }), /Trials are flagged by looser bounds than usual: .*steal\b/);
});

test('one trial is not called a mean', () => assert.equal(sayMeans([{ n: '1', mean: '2', low: '-' }]), 'One trial each.'));

test('means are called geometric where they are: none is of a trial at 0 or below', () => {
  const [above, below] = [{ n: '3', mean: '2', low: '1' }, { n: '3', mean: '2', low: '-1' }];
  assert.equal(sayMeans([above]), 'Geometric means of 3 trials; whiskers: 95 % intervals.');
  assert.equal(sayMeans([below, { n: '3', mean: '0', low: '-' }]), 'Means of 3 trials; whiskers: 95 % intervals.');
  assert.match(sayMeans([above, below]), /^Geometric means, or means where a trial is 0 or less, of 3 trials;/);
});
