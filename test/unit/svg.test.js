import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { finishSvg } from '../../harness/show/svg.js';

const group = '<g fill="none" color="black" stroke="currentColor" stroke-width="1.00" stroke-linecap="butt" stroke-linejoin="miter">';

/** @param {string} body @returns {string} as gnuplot writes it */
const figure = (body) => `<?xml version="1.0"?>\n<svg width="768">\n<desc>Produced by GNUPLOT 5.4</desc>\n<g id="gnuplot_canvas">\n<rect x="0" y="0" fill="#ffffff"/>\n${body}</g>\n</svg>\n`;

test('a text keeps its words, with the numbers in them, beside its place', () => {
  const words = '1.00, 2.50 of rgb(1, 2, 3)';
  const place = 'transform="translate(10.00,19.50)" stroke="none" font-family="DejaVu Sans:Bold" font-size="9.00"';
  const svg = finishSvg(figure(`<g ${place}>\n\t\t<text>${words}</text>\n\t</g>`), '');
  assert.ok(svg.includes(`<text transform="translate(10,19.5)" stroke="none" font-weight="bold" font-size="9">${words}</text>`), svg);
});

test('a group that is empty, or holds empty ones alone, is left out; one with a path stays', () => {
  const empty = `<g id="gnuplot_plot_1a" ><title>gnuplot_plot_1a</title>\n${group}\n</g>\n</g>\n`;
  assert.equal(finishSvg(figure(empty), ''), finishSvg(figure(''), ''));
  assert.match(finishSvg(figure(`${group}\n<path stroke='rgb(  0, 128,  96)' d='M1.00,2.25'/></g>\n`), ''), /<g stroke-width="1">\n<path stroke='#008060' d='M1,2\.25'\/><\/g>/);
});

test('what gnuplot repeats at each group stands once, and gives the background no border', () => {
  const svg = finishSvg(figure(`${group}\n<path/></g>\n${group}\n<path/></g>\n`), '');
  assert.equal(svg.match(/stroke="currentColor"/g)?.length, 1);
  assert.match(svg, /<rect stroke="none" x="0"/);
  assert.match(svg, /^<\?xml version="1\.0"\?>/);
});

for (const experiment of readdirSync(join(ROOT, 'plots')).filter((name) => /^\d/.test(name))) {
  test(`the figures of record of ${experiment} stand on white, name a generic face, and refer to nothing outside`, () => {
    for (const name of readdirSync(join(ROOT, 'plots', experiment)).filter((file) => file.endsWith('.svg'))) {
      const svg = readFileSync(join(ROOT, 'plots', experiment, name), 'utf8');
      assert.match(svg, /<rect [^>]*x="0" y="0" width="768" height="\d+" fill="#ffffff"\/>/, name);
      assert.deepEqual([...new Set(svg.match(/font-family="[^"]*"/g))], ['font-family="DejaVu Sans, Verdana, sans-serif"'], name);
      assert.doesNotMatch(svg, /href='(?!#|data:image\/png)/, name);
    }
  });
}

test('the description says what was run, and not what drew it', () => {
  assert.match(finishSvg(figure(''), 'rate < 1 & $& more'), /<desc>rate &lt; 1 &amp; \$&amp; more<\/desc>/);
});
