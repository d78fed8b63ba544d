/**
 * Lays out the figures of record in a real Chromium: texts do not overlap or leave the canvas, and are legible on
 * paper. The suite places texts by the widths of one font, but a reader's browser lays them out. Checks that need no
 * browser are in test/unit/figures.test.js.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../harness/common/places.js';
import { installParts } from '../../harness/run/install.js';
import { readCompanion } from '../../harness/spec/generators.js';
import { listPictures } from '../pictures.js';

/** Overlap allowed to boxes, in px across and as a share of the lower box's height: a box has space for descenders. */
const OVERLAP_PX = { across: 1.5, share_of_height: 0.3 };

/** Minimum size of letters in a figure printed 16 cm wide, in points. */
const LEAST_PT = 7;
const PRINTED_PT = (16 / 2.54) * 72;
/** Maximum height divided by width. */
const HIGHEST = 1.5;

/** @type {any} */
let browser;
/** @type {any} */
let page;
before(async () => {
  await installParts([readCompanion('browser')], console.log);
  const { chromium } = await import(pathToFileURL(join(ROOT, 'clients/browser/node_modules/playwright-core/index.mjs')).href);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  page = await browser.newPage({ viewport: { width: 1600, height: 1600 } });
});
after(() => browser?.close());

/** @param {string} svg @returns {Promise<string[]>} texts that overlap, or leave the canvas */
async function findCollisions(svg) {
  await page.setContent(`<body style="margin: 0">${svg.replace(/^<\?xml[^>]*>/, '')}</body>`);
  return page.evaluate((/** @type {typeof OVERLAP_PX} */ most) => {
    const root = /** @type {any} */ (globalThis).document.querySelector('svg');
    const canvas = root.getBoundingClientRect();
    const texts = [...root.querySelectorAll('text')].map((/** @type {any} */ text) => ({ words: `"${text.textContent?.trim()}"`, box: text.getBoundingClientRect() }))
      .filter(({ words }) => words !== '""');
    const leaves = (/** @type {any} */ box) =>
      box.left < canvas.left - 1 || box.right > canvas.right + 1 || box.top < canvas.top - 1 || box.bottom > canvas.bottom + 1;
    const collide = (/** @type {any} */ a, /** @type {any} */ b) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return across > most.across && down > most.share_of_height * Math.min(a.height, b.height);
    };
    return texts.flatMap(({ words, box }, index) => [
      ...(leaves(box) ? [`${words} leaves the canvas`] : []),
      ...texts.slice(index + 1).filter((other) => collide(box, other.box)).map((other) => `${words} lies over ${other.words}`),
    ]);
  }, OVERLAP_PX);
}

test('no text of a figure of record lies over another, or leaves the canvas', async () => {
  const paths = [...listPictures(), ...globSync('docs/trust/*.svg', { cwd: ROOT }).sort()];
  assert.ok(paths.length > 30, `${paths.length} figures`);
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const path of paths) {
    const collisions = await findCollisions(readFileSync(join(ROOT, path), 'utf8'));
    if (collisions.length) found[path] = collisions;
  }
  assert.deepEqual(found, {});
});

/**
 * @param {string} svg
 * @returns {Promise<string[]>} why it is illegible or too high for a page when printed 16 cm wide
 */
async function findIllegible(svg) {
  await page.setContent(`<body style="margin: 0">${svg.replace(/^<\?xml[^>]*>/, '')}</body>`);
  const found = await page.evaluate(() => {
    const { document, getComputedStyle } = /** @type {any} */ (globalThis);
    const root = document.querySelector('svg');
    const box = root.getBoundingClientRect();
    const texts = [...root.querySelectorAll('text')].filter((/** @type {any} */ text) => text.textContent.trim());
    const all = texts.map((/** @type {any} */ text) => Number.parseFloat(getComputedStyle(text).fontSize));
    return { width: box.width, height: box.height, sizes: all };
  });
  const { width, height, sizes } = found;
  const least = (Math.min(...sizes) * PRINTED_PT) / width;
  return [...(least < LEAST_PT ? [`letters of ${least.toFixed(1)} points`] : []), ...(height > HIGHEST * width ? [`${height} high, ${width} wide`] : [])];
}

test('printed 16 cm wide, every figure of record has letters of 7 points or more, and is at most one and a half times as high', async () => {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const path of listPictures()) {
    const illegible = await findIllegible(readFileSync(join(ROOT, path), 'utf8'));
    if (illegible.length) found[path] = illegible;
  }
  assert.deepEqual(found, {});
});

test('letters that are too small, and a figure that is too high, are found', async () => {
  const figure = (/** @type {number} */ size, /** @type {number} */ height) =>
    `<svg width="640" height="${height}"><text x="1" y="20" font-size="${size}">a</text></svg>`;
  assert.deepEqual(await findIllegible(figure(10, 960)), []);
  assert.deepEqual(await findIllegible(figure(9, 960)), ['letters of 6.4 points']);
  assert.deepEqual(await findIllegible(figure(10, 961)), ['961 high, 640 wide']);
});

test('texts that collide and that leave are found', async () => {
  const text = (/** @type {number} */ x, /** @type {string} */ words) => `<text x="${x}" y="20" font-size="10">${words}</text>`;
  const figure = (/** @type {string[]} */ ...texts) => `<svg width="200" height="40">${texts.join('')}</svg>`;
  assert.deepEqual(await findCollisions(figure(text(10, 'first'), text(100, 'second'))), []);
  assert.deepEqual(await findCollisions(figure(text(10, 'first'), text(20, 'second'))), ['"first" lies over "second"']);
  assert.deepEqual(await findCollisions(figure(text(190, 'too long'))), ['"too long" leaves the canvas']);
});
