/**
 * The figures of record, laid out by a real Chromium: no two texts lie over each other, and none leaves the canvas. Gnuplot places texts by
 * the widths of its own font; what a reader sees, his browser lays out.
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

/** px by which boxes may overlap: the boxes of letters without a descender hold room for one. */
const OVERLAP_PX = { across: 1.5, share_of_height: 0.3 };

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

/** @param {string} svg @returns {Promise<string[]>} what is wrong with where its texts stand */
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

test('texts that collide and that leave are found', async () => {
  const text = (/** @type {number} */ x, /** @type {string} */ words) => `<text x="${x}" y="20" font-size="10">${words}</text>`;
  const figure = (/** @type {string[]} */ ...texts) => `<svg width="200" height="40">${texts.join('')}</svg>`;
  assert.deepEqual(await findCollisions(figure(text(10, 'first'), text(100, 'second'))), []);
  assert.deepEqual(await findCollisions(figure(text(10, 'first'), text(20, 'second'))), ['"first" lies over "second"']);
  assert.deepEqual(await findCollisions(figure(text(190, 'too long'))), ['"too long" leaves the canvas']);
});
