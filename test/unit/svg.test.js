import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { finishSvg, groupMarks, mergeGroups, shortenPaths } from '../../harness/common/svg.js';
import { listPictures } from '../pictures.js';

const group = '<g fill="none" color="black" stroke="currentColor" stroke-width="1.00" stroke-linecap="butt" stroke-linejoin="miter">';

const PLAIN = { title: '', description: '' };

/** @param {string} body @returns {string} a figure as gnuplot writes it */
const figure = (body) => `<?xml version="1.0"?>\n<svg width="768">\n<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4</desc>\n<g id="gnuplot_canvas">\n<rect x="0" y="0" fill="#ffffff"/>\n${body}</g>\n</svg>\n`;

test('a text keeps its words, with the numbers in them, beside its place', () => {
  const words = '1.00, 2.50 of rgb(1, 2, 3)';
  const place = 'transform="translate(10.00,19.50)" stroke="none" font-family="DejaVu Sans:Bold" font-size="9.00"';
  const svg = finishSvg(figure(`<g ${place}>\n\t\t<text>${words}</text>\n\t</g>`), PLAIN);
  assert.ok(svg.includes(`<text x="10" y="19.5" font-weight="bold" font-size="9">${words}</text>`), svg);
});

test('a black text has its paint from the style, one of another colour its own', () => {
  const textIn = (/** @type {string} */ paint) =>
    finishSvg(figure(`<g transform="translate(1.00,2.00)" stroke="none" fill="${paint}">\n\t\t<text>fill="black"</text>\n\t</g>`), PLAIN);
  assert.match(textIn('black'), /<style>text\{stroke:none\}text:not\(\[fill\]\)\{fill:black\}<\/style>[^]*<text x="1" y="2">fill="black"<\/text>/);
  assert.ok(textIn('rgb(192, 64, 0)').includes('<text x="1" y="2" fill="#c04000">'), textIn('rgb(192, 64, 0)'));
});

test('a text that is turned keeps its turn, and the size that most have stands once', () => {
  const place = 'transform="translate(10.00,19.50) rotate(270.00)" font-size="10.00"';
  const svg = finishSvg(figure(`<g ${place}>\n\t\t<text>ms</text>\n\t</g>`), PLAIN);
  assert.ok(svg.includes('<text transform="translate(10,19.5) rotate(270)">ms</text>'), svg);
  assert.match(svg, /<g id="gnuplot_canvas" [^>]* font-size="10">/);
});

test('a group that is empty, or holds empty ones alone, is left out; one with a path stays', () => {
  const empty = `<g id="gnuplot_plot_1a" ><title>gnuplot_plot_1a</title>\n${group}\n</g>\n</g>\n`;
  assert.equal(finishSvg(figure(empty), PLAIN), finishSvg(figure(''), PLAIN));
  assert.match(finishSvg(figure(`${group}\n<path stroke='rgb(  0, 128,  96)' d='M1.00,2.25'/></g>\n`), PLAIN), /<g stroke-width="1">\n<path stroke='#008060' d='M1 2\.3'\/><\/g>/);
});

test('what gnuplot repeats at each group stands once, and gives the background no border', () => {
  const svg = finishSvg(figure(`${group}\n<path/></g>\n${group}\n<path/></g>\n`), PLAIN);
  assert.equal(svg.match(/stroke="currentColor"/g)?.length, 1);
  assert.match(svg, /<rect stroke="none" x="0"/);
  assert.match(svg, /^<\?xml version="1\.0"\?>/);
});

/**
 * @param {string} data of a path, in absolute or relative places
 * @returns {number[][]} x, y, and 1 for the first point of each part, else 0
 */
function listPoints(data) {
  /** @type {number[][]} */
  const points = [];
  for (const [, command, numbers] of data.matchAll(/([MLl])([^MLl]*)/g)) {
    const all = (numbers.match(/-?(\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    for (let at = 0; at < all.length; at += 2) {
      const [x, y] = command === 'l' ? (points.at(-1) ?? []) : [0, 0];
      points.push([x + all[at], y + all[at + 1], command === 'M' ? 1 : 0]);
    }
  }
  return points;
}

test('a curve has the same points to a twentieth of a pixel in half the bytes, on lines that a diff can show', () => {
  const places = Array.from({ length: 300 }, (_, index) => [60 + index * 2.05, 200 + 50 * Math.sin(index / 7)].map((number) => number.toFixed(2)).join(','));
  const data = `M${places.slice(0, 150).join(' L')}  M${places.slice(150).join(' L')}  `;
  const short = /d='([^']*)'/.exec(shortenPaths(`<path stroke='black'  d='${data}'/>`))?.[1] ?? '';
  assert.ok(short.length < 0.55 * data.length, `${short.length} of ${data.length}`);
  assert.ok(short.split('\n').every((line) => line.length <= 120));
  const [before, after] = [data, short].map(listPoints);
  assert.equal(after.length, 300);
  after.forEach((point, at) => point.forEach((number, index) => assert.ok(Math.abs(number - before[at][index]) < 0.0501, `point ${at}`)));
  assert.equal(shortenPaths(`<path d='${short}'/>`), `<path d='${short}'/>`, 'shortened twice');
  assert.equal(shortenPaths("<path id='gpPt0' d='M-1,0 h2 M0,-1 v2'/>"), "<path id='gpPt0' d='M-1,0 h2 M0,-1 v2'/>");
});

test('definitions of gnuplot that are used stay, with the definitions that they use', () => {
  const marks = "\t<path id='gpPt0' d='M-1,0 h2'/>\n\t<circle id='gpPt5' r='1'/>\n\t<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor'/>\n"
    + "\t<use xlink:href='#gpPt6' id='gpPt7'/>\n\t<filter id='textbox' x='0'>\n\t  <feFlood/>\n\t</filter>\n\t<filter id='greybox' x='0'>\n\t  <feFlood/>\n\t</filter>\n";
  const svg = finishSvg(figure(`<defs>\n${marks}</defs>\n<use xlink:href='#gpPt6'/><text filter="url(#greybox)">a</text>\n`), PLAIN);
  assert.deepEqual([...svg.matchAll(/id='(\w+)'/g)].map(([, id]) => id), ['gpPt5', 'gpPt6', 'greybox']);
});

for (const path of listPictures()) {
  test(`${path} stands on white, names a generic face, and refers to nothing outside`, () => {
    const svg = readFileSync(join(ROOT, path), 'utf8');
    assert.match(svg, /<rect [^>]*x="0" y="0" width="640" height="\d+" fill="#ffffff"\/>/);
    assert.deepEqual([...new Set(svg.match(/font-family="[^"]*"/g))], ['font-family="DejaVu Sans, Verdana, sans-serif"']);
    assert.doesNotMatch(svg, /href='(?!#|data:image\/png)/);
  });
}

test('marks of one size and colour that follow each other say both once, where they were', () => {
  const mark = (/** @type {number} */ x, /** @type {string} */ color) => `<use xlink:href='#gpPt6' transform='translate(${x},24) scale(2)' color='${color}'/>`;
  const svg = ['<g>', ...[10, 20, 30.5].map((x) => mark(x, 'red')), mark(40, 'blue'), mark(50, 'blue'), '</g>'].join('\n');
  assert.deepEqual(groupMarks(svg).split('\n'), [
    '<g>', "<g color='red' transform='scale(2)'>", ...['5', '10', '15.3'].map((x) => `<use xlink:href='#gpPt6' x='${x}' y='12'/>`), '</g>',
    mark(40, 'blue'), mark(50, 'blue'), '</g>',
  ]);
});

test('the description says what was run, and not what drew it', () => {
  assert.match(finishSvg(figure(''), { title: 'A < B', description: 'rate < 1 & $& more' }),
    /^<title>A &lt; B<\/title>\n<desc>rate &lt; 1 &amp; \$&amp; more<\/desc>$/m);
});

test('groups of lines as thick as each other become one; others, and one with a group in it, stay', () => {
  const line = (/** @type {number} */ width, /** @type {string} */ inside) => `<g stroke-width="${width}">\n${inside}</g>\n`;
  assert.equal(mergeGroups(line(1, '<path/>') + line(1, '<text/>') + line(1, '<rect/>')), line(1, '<path/>\n<text/>\n<rect/>'));
  for (const kept of [line(1, '<path/>') + line(2, '<path/>'), line(1, '<g><path/></g>') + line(1, '<path/>')]) assert.equal(mergeGroups(kept), kept);
});
