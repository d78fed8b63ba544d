/** The report in a real Chromium, on desktop and phone: its numbers equal the tables, and it is accessible. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findMetric } from '../../harness/spec/metrics.js';
import { readTsv } from '../../harness/common/files.js';
import { describePoint, digits } from '../../harness/common/format.js';
import { ROOT, figuresOf } from '../../harness/common/places.js';
import { describeComparison } from '../../report/summary.js';
import { describeNumber } from '../../report/cards.js';
import { makePage } from '../../report/html/report.js';
import { readSource } from '../../harness/records/sources.js';

const AXE = join(ROOT, 'node_modules/axe-core/axe.min.js');
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
const folder = mkdtempSync(join(tmpdir(), 'report-test-'));

const record = readSource('record');
const [one] = record.runs.filter(({ claims, paper }) => claims.length > 1 && !paper); // whose claims are all its own
const judgedClaims = record.runs.flatMap(({ claims }) => claims);
const withPaper = record.runs.flatMap((run) => [run, ...(run.paper ? [run.paper] : [])]);

/** @param {import('playwright-core').Page} page @param {typeof one} run @returns {import('playwright-core').Locator} its collapsed parts */
const detailsOf = (page, run) => page.locator(`#experiment-${Number(run.experiment.split('-')[0])} .sides ${run.spec.profile === 'paper' ? '.paper' : '> .side'} > details`);
/** @type {import('playwright-core').Browser} */
let browser;
let [all, pair] = ['', ''];

before(async () => {
  all = await makePage([record]);
  pair = await makePage([readSource(one.folder), record]);
  for (const [name, page] of Object.entries({ all, pair })) writeFileSync(join(folder, `${name}.html`), page);
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium', chromiumSandbox: false, args: ['--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/**
 * @param {string} name @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: import('playwright-core').Page) => Promise<void>} look
 */
async function open(name, options, look) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000); // for a busy machine
  const page = await context.newPage();
  const [errors, asked] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('request', (request) => asked.push(request.url()));
  try {
    await page.goto(pathToFileURL(join(folder, name)).href);
    await look(page);
    assert.deepEqual(errors, []);
    assert.deepEqual(asked.filter((url) => !/^(file|data|blob):/.test(url)), [], 'it asks the network for nothing');
  } finally {
    await context.close();
  }
}

/** @param {import('playwright-core').Page} page @param {string} selector @returns {Promise<string[]>} including collapsed elements */
const textsOf = (page, selector) => page.locator(selector).evaluateAll((all_) => all_.map(({ textContent }) => (textContent ?? '').trim()));

test('it is one file under 4 MB, and the same bytes each time', async () => {
  assert.ok(Buffer.byteLength(all) < 4e6 && Buffer.byteLength(pair) < 4e6, `${all.length}, ${pair.length}`);
  assert.equal(await makePage([readSource(one.folder)]), await makePage([readSource(one.folder)]));
});

test('without JavaScript every verdict of record is there, with every number of its rows', async () => {
  await open('all.html', { viewport: PHONE, javaScriptEnabled: false }, async (page) => {
    const source = readFileSync(join(folder, 'all.html'), 'utf8');
    assert.equal((await textsOf(page, '.claim .verdict > .badge')).length, judgedClaims.length);
    for (const word of new Set(judgedClaims.map(({ verdict }) => verdict))) {
      const shown = (await textsOf(page, '.claim .verdict > .badge')).filter((text) => text.replace(/^\S+ /, '') === word);
      assert.equal(shown.length, judgedClaims.filter(({ verdict }) => verdict === word).length, word);
    }
    const values = await textsOf(page, '.claim td.value');
    const rows = record.runs.flatMap(({ verdicts }) => verdicts.map(describeNumber));
    assert.deepEqual([...values].sort(), [...rows].sort());
    assert.ok(await page.locator('.claim').first().isVisible());
    assert.ok(!await page.locator('.filters').isVisible(), 'what needs JavaScript is not offered');
    assert.match(source, /git checkout [0-9a-f]{12} &amp;&amp; make experiment-\d+ PROFILE/);
  });
});

test('verdicts are filtered by document, era, verdict and words', async () => {
  await open('all.html', { viewport: DESK }, async (page) => {
    const shown = () => page.locator('.era:visible').count();
    const whole = await shown();
    assert.equal(whole, judgedClaims.length);
    await page.selectOption('[name=era]', 'today');
    const today = judgedClaims.filter(({ era }) => era === 'today');
    assert.equal(await shown(), today.length);
    assert.equal(await page.locator('.shown').textContent(), `${today.length} of ${whole} verdicts.`);
    await page.selectOption('[name=verdict]', 'reproduced');
    assert.equal(await shown(), today.filter(({ verdict }) => verdict === 'reproduced').length);
    await page.selectOption('[name=era]', '');
    await page.selectOption('[name=verdict]', '');
    await page.fill('[name=search]', 't1');
    assert.deepEqual(await page.locator('.claim:visible').evaluateAll((found) => found.map(({ id }) => id)), ['claim-T1']);
    await page.fill('[name=search]', '');
    const document = await page.locator('[name=document] option').nth(1).textContent();
    await page.selectOption('[name=document]', document);
    assert.equal(await page.locator(`.claim:visible:not([data-document="${document}"])`).count(), 0);
    assert.ok(await page.locator('.claim:visible').count() > 0);
  });
});

const isPoint = (/** @type {Record<string, string>} */ a) => (/** @type {Record<string, string>} */ b) =>
  a.engine === b.engine && a.workload === b.workload && a.setting === b.setting;

test('every number that is looked up equals the tables, and a chosen point shows its trials', async () => {
  await open('all.html', { viewport: DESK }, async (page) => {
    const section = page.locator(`#experiment-${Number(one.experiment.split('-')[0])}`);
    await section.locator('.explore > summary').press('Enter');
    await section.locator('.explore[data-ready]').waitFor();
    const points = readTsv(join(one.reduced, 'points.tsv'));
    for (const metric of new Set(points.map((row) => row.metric))) {
      await section.locator('.choose select').first().selectOption(metric);
      const shown = await section.locator('.point').evaluateAll((found) => found.map((button) =>
        [button.dataset.engine, button.dataset.workload, button.dataset.setting, button.querySelector('.value')?.textContent].join('|')));
      const wanted = points.filter((row) => row.metric === metric).map((row) =>
        [row.engine, row.workload, row.setting, `${describePoint(row, points.filter(isPoint(row)))} n ${row.n}`].join('|'));
      assert.deepEqual(shown.filter((line) => !line.endsWith('flagged')).sort(), wanted.sort(), metric);
      const { unit, definition } = findMetric(metric) ?? {};
      assert.equal(await section.locator('.definition').textContent(), `${metric} (${unit}): ${definition}`);
    }
    await section.locator('.point').first().click();
    assert.equal(await section.locator('.point').first().getAttribute('aria-pressed'), 'true');
    const plot = section.locator('.chosen .u-over').first();
    const { width, height } = /** @type {{width: number, height: number}} */ (await plot.boundingBox());
    await plot.hover({ position: { x: width / 2, y: height / 2 } });
    const { engine, workload, setting, metric } = await section.locator('.point').first().evaluate((button) => ({ ...button.dataset }));
    const point = [engine, workload, setting, metric].join('|');
    const own = readTsv(join(one.reduced, 'trials.tsv')).filter((row) => [row.engine, row.workload, row.setting, row.metric].join('|') === point);
    const trials = own.map(({ value }) => Number(value));
    const reported = Number((await section.locator('.chosen .u-legend .u-value').nth(1).textContent())?.replaceAll(',', ''));
    assert.ok(trials.some((value) => Math.abs(value - reported) <= 0.001 * Math.abs(value) + 0.0005), `${reported} is one of ${trials}`);
  });
});

/** Metric by heading of the result's table. */
const HEADINGS = /** @type {Record<string, string>} */ ({
  'saturation, msg/s': 'saturation_hz', 'p50 at saturation, ms': 'latency_p50_ms_at_100', 'p99 at saturation, ms': 'latency_p99_ms_at_100',
  'server CPU s/1,000': 'server_cpu_s_per_1k', 'client CPU s/1,000': 'client_cpu_s_per_1k',
  'p50 ms from due': 'latency_p50_ms', p90: 'latency_p90_ms', p99: 'latency_p99_ms', 'msg/s': 'received_hz', connected: 'connected_at_end',
});

/** In a sweep these depend on its rates. If the rates are shares of each server's saturation, the table omits them. */
const BY_RATE = ['server CPU s/1,000', 'client CPU s/1,000', 'p50 ms from due', 'p90', 'p99', 'msg/s'];

/** @param {import('playwright-core').Locator} table @returns {Promise<string[][]>} header and rows, even if collapsed */
const cellsOf = (table) => table.locator('tr').evaluateAll((rows) =>
  rows.map((row) => [...row.children].map(({ textContent }) => (textContent ?? '').trim())));

/**
 * @param {import('../../harness/records/sources.js').Run} run
 * @returns {(row: Record<string, string>, heading: string) => string} the cell expected from the tables of the run
 */
function readResult({ reduced, spec }) {
  const [points, flagged] = ['points', 'flagged-points'].map((name) => readTsv(join(reduced, `${name}.tsv`)));
  return (row, heading) => {
    const stands = points.some(isPoint(row));
    const own = (stands ? points : flagged).filter(isPoint(row));
    const mark = stands || own.length === 0 ? '' : '*';
    if (heading === 'n') return `${own[0]?.n ?? 0}${mark}`;
    const steps = spec.workloads?.[row.workload]?.arrivals?.steps ?? [];
    if (BY_RATE.includes(heading) && steps.some((/** @type {object} */ step) => 'share' in step)) return '-';
    const found = own.find(({ metric }) => metric === HEADINGS[heading]);
    if (!found) return '-';
    const interval = found.low !== '-' && heading.includes('CPU') ? ` [${digits(Number(found.low))}, ${digits(Number(found.high))}]` : '';
    const isLeast = heading === 'saturation, msg/s' && own.some(({ metric, mean }) => metric === 'saturation_at_least' && Number(mean) > 0);
    const told = heading === 'connected' ? String(Math.round(10 * Number(found.mean)) / 10) : digits(Number(found.mean)); // one that is lost is seen
    return `${isLeast ? 'at least ' : ''}${told}${interval}${mark}`;
  };
}

test('every cell of every table of a result equals the tables of its run, and every trial and step that was left out is listed', async () => {
  await open('all.html', { viewport: DESK, javaScriptEnabled: false }, async (page) => {
    for (const run of withPaper) {
      const section = detailsOf(page, run);
      const [header, ...rows] = await cellsOf(section.locator('table.result'));
      const resultOf = readResult(run);
      const numbers = header.filter((heading) => heading === 'n' || heading in HEADINGS);
      for (const cells of rows) {
        const row = /** @type {Record<string, string>} */ ({ setting: '-', ...Object.fromEntries(cells.map((cell, at) => [header[at], cell])) });
        for (const heading of numbers) assert.equal(row[heading], resultOf(row, heading), `${run.experiment}: ${cells.join(' ')}: ${heading}`);
      }
      const ofEngines = run.plan.filter(({ engine }) => engine !== run.spec.reference?.engine); // the reference has no row
      assert.equal(rows.length, new Set(ofEngines.map(({ engine, workload, setting }) => [engine, workload, setting].join('|'))).size, run.experiment);
      const disturbed = readTsv(join(run.reduced, 'disturbed.tsv')).map((row) => /** @type {Record<string, string>} */
        ({ ...row, trial: `${row.leaves === 'all' ? '' : 'latencies of '}step ${row.step} of ${row.trial}` }));
      const dropped = [...run.dropped, ...disturbed].map(({ trial, reason, value, bound }) =>
        [trial, reason, ...[value, bound].map((cell) => cell.replace(/^-$/, ''))]);
      if (dropped.length) assert.deepEqual((await cellsOf(section.locator('table.dropped'))).slice(1), dropped, run.experiment);
      else assert.equal(await section.locator('table.dropped').count(), 0);
    }
  });
});

test('each row of each verdict says what was compared, its number, its trials and its verdict as verdict.json has them', async () => {
  await open('all.html', { viewport: DESK, javaScriptEnabled: false }, async (page) => {
    for (const { claims, verdicts } of record.runs) {
      for (const { claim, era } of claims) {
        const rows = await page.locator(`#claim-${claim} .era[data-era="${era}"] table.rows tbody tr`).evaluateAll((all_) => all_.map((row) =>
          ['.what', '.value', '.n', '.badge'].map((part) => row.querySelector(part)?.textContent?.trim().replaceAll(/\s+/g, ' ')).join('|')));
        const wanted = verdicts.filter((row) => row.claim === claim && row.era === era).map((row) =>
          [[describeComparison(row), row.workload].filter((word) => word !== '-').join(' '), describeNumber(row), row.n].join('|'));
        assert.deepEqual(rows.map((row) => row.split('|').slice(0, 3).join('|')).sort(), wanted.sort(), `${claim} ${era}`);
        const words = verdicts.filter((row) => row.claim === claim && row.era === era).map(({ verdict }) => verdict);
        assert.deepEqual(rows.map((row) => row.split('|')[3].replace(/^\S+ /, '')).sort(), words.sort());
      }
    }
  });
});

test('each verdict leads to a figure that shows it, to the trials that were left out, and to the command that repeats it', async () => {
  await open('all.html', { viewport: DESK }, async (page) => {
    const commands = await page.locator('.claim .side .command').allTextContents();
    assert.equal(commands.filter((command) => command.includes('PROFILE=paper')).length, judgedClaims.filter(({ isOfPaper }) => isOfPaper).length);
    const links = await page.locator('.claim .side a').evaluateAll((all_) => all_.map((link) => link.getAttribute('href') ?? ''));
    const ids = new Set(await page.locator('[id]').evaluateAll((all_) => all_.map(({ id }) => id)));
    assert.deepEqual(links.filter((link) => !ids.has(link.slice(1))), []);
    const without = await page.locator('.claim .era').evaluateAll((all_) => all_.filter((era) => !era.querySelector('a[href*="figure-"]'))
      .map((era) => `${era.closest('.claim')?.id} ${era.getAttribute('data-era')}`));
    assert.deepEqual(without, []);
    assert.equal(await page.locator('.claim .side .command').count(), judgedClaims.length);
    const left = page.locator('.claim .side a[href^="#dropped-"]').first();
    await left.evaluate((link) => { link.closest('details')?.setAttribute('open', ''); });
    await left.click();
    await page.locator(`${await left.getAttribute('href')}[open]`).waitFor();
  });
});

test('a figure gives way to its numbers, which equal the tables, and comes back; without JavaScript it stands as it was drawn', async () => {
  await open('all.html', { viewport: DESK }, async (page) => {
    const figure = page.locator(`#experiment-${Number(one.experiment.split('-')[0])} .figures figure`).first();
    const button = figure.locator('.swap');
    await button.click();
    await figure.locator('.chosen .u-over').first().waitFor();
    assert.ok(!await figure.locator('img').isVisible());
    const points = readTsv(join(one.reduced, 'points.tsv'));
    const shown = await figure.locator('.point').evaluateAll((found) => found.map((each) =>
      [each.dataset.engine, each.dataset.workload, each.dataset.setting, each.dataset.metric, each.querySelector('.value')?.textContent].join('|')));
    assert.ok(shown.length > 0);
    for (const line of shown.filter((text) => !text.endsWith('flagged'))) {
      const [engine, workload, setting, metric, value] = line.split('|');
      const row = points.find((each) => [each.engine, each.workload, each.setting, each.metric].join('|') === [engine, workload, setting, metric].join('|'));
      assert.ok(row, line);
      assert.equal(value, `${describePoint(row, points.filter(isPoint(row)))} n ${row.n}`);
    }
    await button.click();
    assert.ok(await figure.locator('img').isVisible());
    assert.ok(!await figure.locator('.explorer').isVisible());
  });
  await open('all.html', { viewport: DESK, javaScriptEnabled: false }, async (page) => {
    const figures = page.locator(`#experiment-${Number(one.experiment.split('-')[0])} .figures figure`);
    assert.ok(await figures.first().locator('img').isVisible());
    assert.ok(!await figures.first().locator('.swap').isVisible());
    const names = readdirSync(figuresOf(one.folder)).filter((name) => name.endsWith('.svg')).map((name) => name.replace('.svg', '')).sort();
    assert.deepEqual(await figures.evaluateAll((all_) => all_.map(({ id }) => id.replace(/^figure-\d+-/, ''))), names);
  });
});

test('two reports stand side by side: what differs can be picked out, and the figures of both are drawn', async () => {
  await open('pair.html', { viewport: DESK }, async (page) => {
    assert.deepEqual(await textsOf(page, '.claim .era:first-of-type .side .letter').then((letters) => letters.slice(0, 2)), ['A', 'B']);
    const common = page.locator(`#claim-${one.claims[0].claim} .era`).first().locator('.badge:not(.small)');
    const [a, b] = await common.evaluateAll((found) => found.map(({ textContent }) => textContent));
    assert.equal(a, b, 'the same record, twice');
    await page.check('[name=differs]');
    assert.equal(await page.locator(`#claim-${one.claims[0].claim}:visible`).count(), 0);
    const packed = page.locator('img[data-packed]').first();
    await page.waitForFunction((/** @type {any} */ image) => image.naturalWidth > 0, await packed.elementHandle());
  });
});

for (const [name, viewport, file] of /** @type {const} */ ([['desk', DESK, 'pair.html'], ['phone', PHONE, 'all.html']])) {
  test(`on a ${name} nothing leaves the page sideways, and axe finds nothing that keeps a reader out`, async () => {
    await open(file, { viewport }, async (page) => {
      await page.locator('.explore').first().evaluate((details) => { Reflect.set(details, 'open', true); });
      await page.locator('.explore[data-ready] .point').first().click();
      await page.locator('.swap').first().click();
      await page.locator('figure.numbers .point').first().waitFor();
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')) <= 0, 'it is too wide');
      await page.addScriptTag({ path: AXE });
      /** @type {any} */
      const { violations } = await page.evaluate('axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"] })');
      const reported = violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.slice(0, 2).map((/** @type {any} */ node) => node.html.slice(0, 160)).join(' | ')}`);
      assert.deepEqual(reported, [], file);
    });
  });
}
