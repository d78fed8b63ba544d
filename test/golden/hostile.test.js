/** A bundle from a stranger: no command runs its free text, and bad names or numbers in it are refused. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Handlebars from 'handlebars';
import { drawMarks } from '../../harness/check/trust/figure.js';
import { openBundle } from '../../harness/common/bundle.js';
import { UserError } from '../../harness/common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { inMarkdown } from '../../harness/common/format.js';
import { ROOT } from '../../harness/common/places.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { Marked } from 'marked';
import { copySample, reduce } from './bundles.js';

const folder = mkdtempSync(join(tmpdir(), 'hostile-test-'));
const ran = join(folder, 'ran');
after(() => rmSync(folder, { recursive: true }));

/** Text that is special to a shell, gnuplot, awk, make, HTML, Markdown or a terminal. */
const FREE = `a'b"c\`touch ${ran}/1\`$(touch ${ran}/2)\${x}$(shell touch ${ran}/3)|<script>alert(1)</script>&amp;*_[x](javascript:y)%s%n\\140touch ${ran}/4\\140\\e@x';touch ${ran}/5;'`;
/** A blank to a shell, but not to gnuplot. */
const IFS = '${IFS}';
const HOSTILE = `${FREE}\x1b[31m\x9b31m\0`;
const isPlain = (/** @type {string} */ text) => !/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text); // eslint-disable-line no-control-regex

const bundle = copySample('01-client-throughput');
reduce(bundle, 'mawk');
judgeBundle(bundle);
const spec = readJson(join(bundle, 'spec.json'));
spawnSync('mkdir', [ran]);

/** Writes the hostile text into the bundle's files, as a stranger could. */
function disguise() {
  const engines = Object.fromEntries(Object.entries(spec.engines).map(([name, engine]) =>
    [name, { .../** @type {any} */ (engine), title: HOSTILE, version: HOSTILE, runtime: HOSTILE, library_version: HOSTILE }]));
  const environment = { ...spec.environment, cpu: HOSTILE, kernel: HOSTILE };
  writeJson(join(bundle, 'spec.json'), { ...spec, title: HOSTILE, question: HOSTILE, source: HOSTILE, engines, environment });
  const load = join(bundle, 'reduced', 'load.tsv');
  const rows = readTsv(load);
  const drawn = rows.find(({ quantity, side }) => quantity === 'cpu_pct' && side === 'server') ?? {};
  const roles = [`x';touch${IFS}${ran}/6;'`, `y\`touch${IFS}${ran}/7\``, `z"\`touch${IFS}${ran}/8\``, FREE.replaceAll(/\s/g, IFS)];
  writeTsv(load, Object.keys(rows[0]), [...rows, ...roles.map((role) => ({ ...drawn, process: `${role} 1` }))]);
  const dropped = join(bundle, 'reduced', 'dropped.tsv');
  writeTsv(dropped, ['trial', 'reason', 'value', 'bound'], [...readTsv(dropped), { trial: 'x', reason: FREE, value: '-', bound: '-' }]);
}

/** @param {...string} argv of main.js */
function run(...argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), ...argv],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, WSCALE_RESULTS: join(folder, 'results'), ENGINES: HOSTILE.replaceAll('\0', '') } });
  return { status, said: stdout + stderr };
}

/** @param {string} text */
function assertNothingRan(text) {
  assert.deepEqual(readdirSync(ran), []);
  assert.ok(isPlain(text), 'a control character came out');
}

disguise();

test('figures show the text of a bundle and run nothing of it, in every format', () => {
  const { status, said } = run('figures', bundle);
  assert.equal(status, 0, said);
  assertNothingRan(said);
  const names = readdirSync(join(bundle, 'figures'));
  assert.ok(names.length > 8);
  for (const name of names.filter((each) => /\.(svg|txt)$/.test(each))) {
    const text = readFileSync(join(bundle, 'figures', name), 'utf8').replaceAll('\f', '');
    assert.ok(isPlain(text), name);
    if (name.endsWith('.svg')) assert.doesNotMatch(text, /<script>alert/, name);
  }
  const text = readFileSync(join(bundle, 'figures', 'second-client.txt'), 'utf8');
  assert.ok(text.includes(`a'b"c\`touch ${ran}/1\``) || text.replaceAll(/\s+/g, '').includes(FREE.slice(0, 60).replaceAll(/\s+/g, '')), text);
});

test('a page, tables and an archive of it hold the text as text', () => {
  for (const [command, ...more] of [['report'], ['export', '--format', 'json'], ['export', '--format', 'csv'], ['archive']]) {
    const { status, said } = run(command, bundle, ...more);
    assert.equal(status, 0, said);
    assertNothingRan(said);
  }
  const reports = join(folder, 'results', 'reports');
  const html = readFileSync(join(reports, readdirSync(reports)[0]), 'utf8');
  assert.doesNotMatch(html, /<script>alert|href="javascript:/);
  assert.ok(html.includes(Handlebars.escapeExpression(FREE)), 'the text is not in the page');
});

test('the figure of a planted fault holds a text as text', async () => {
  const path = join(folder, 'marks.svg');
  const mark = { label: FREE, expected: 1, found: 2 };
  await drawMarks(folder, 'marks', /** @type {any} */ ({ said: FREE, marks: [mark, mark] }), { title: FREE, expected: FREE, found: FREE }, FREE);
  assertNothingRan(readFileSync(path, 'utf8'));
  assert.doesNotMatch(readFileSync(path, 'utf8'), /<script>alert/);
});

test('Markdown shows a text as it is', () => {
  const html = new Marked({ async: false }).parseInline(inMarkdown(FREE)).toString();
  const shown = html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  assert.doesNotMatch(html, /<(?!\/?$)/);
  assert.equal(shown, FREE);
});

test('what of a bundle becomes a path, a command or a number is refused where it is none', () => {
  const planned = readFileSync(join(bundle, 'plan.tsv'), 'utf8');
  const wrong = [
    { experiment: '../../tmp' }, { experiment: FREE }, { profile: 'quick; touch x' }, { seed: '1; touch x' },
    { phases: { ...spec.phases, repeats: 'system("touch x")' } },
    { engines: { ...spec.engines, [FREE]: spec.engines['socketcluster-14'] } }, { axes: { ...spec.axes, engine: ['a b`touch x`'] } },
    { environment: { ...spec.environment, suite: { commit: '$(touch x)' } } },
  ];
  for (const change of wrong) {
    writeJson(join(bundle, 'spec.json'), { ...spec, ...change });
    const isTold = (/** @type {any} */ error) =>
      error instanceof UserError && isPlain(error.message) && /spec\.json.* is /.test(error.message);
    assert.throws(() => openBundle(bundle), isTold, JSON.stringify(change));
  }
  writeJson(join(bundle, 'spec.json'), { ...spec, experiment: '../../tmp' });
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'analysis/analyse.js'), bundle], { encoding: 'utf8' });
  assert.equal(status, 2, stderr);
  writeJson(join(bundle, 'spec.json'), spec);
  writeFileSync(join(bundle, 'plan.tsv'), planned.replace(/\tb01-[^\t]*/, '\t../../../x'));
  assert.throws(() => openBundle(bundle), /plan\.tsv: trial is "\.\.\/\.\.\/\.\.\/x"/);
  assert.match(spawnSync(process.execPath, [join(ROOT, 'analysis/analyse.js'), bundle], { encoding: 'utf8' }).stderr, /plan\.tsv: trial is/);
  assertNothingRan('');
});
