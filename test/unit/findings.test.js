import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { writeJson, writeTsv } from '../../harness/common/files.js';

const experiments = mkdtempSync(join(tmpdir(), 'findings-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the module is loaded
const { hasFindings, renderFindings, renderTemplate } = await import('../../harness/show/findings.js');

const POINT = { engine: 'ws', workload: 'listed', setting: '-' };
const VERDICT = { claim: 'T4', era: '2014', workload: 'listed', of: 'a', to: 'b', setting: '-', n: 6, mean: 1.5594, low: 1.47, high: 1.997, verdict: 'reproduced' };
const FIT = { law: 'usl', engine: 'ws', workload: '-', setting: '-', parameter: 'sigma', n: '6', value: '0.0312', se: '0.004', low: '0.02', high: '0.04' };
const DEMAND = { engine: 'a', line: 'scheduling=rr', role: 'balancer', mean: '0.00031', per_worker: '0.8149' };
const REDUCED = {
  demand: [DEMAND, { ...DEMAND, role: 'worker', per_worker: '-' }],
  overhead: [{ size_b: '1', n: '5', pct: '63.95', low_pct: '47.27', high_pct: '82.52' }, { size_b: '9', n: '1', pct: '7', low_pct: '-', high_pct: '-' }],
  mixes: [{ setting: 'processes=2+1+1', bottleneck: 'worker' }],
};
const TABLES = {
  points: [
    { ...POINT, metric: 'cost', mean: '0.474464', low: '0.442943', high: '0.546206' },
    { ...POINT, metric: 'part', n: '2', mean: '0.223257', low: '-', high: '-' },
    { ...POINT, setting: 'processes=2+2+1', metric: 'cost', mean: '0.2', low: '0.1', high: '0.3' },
  ],
  verdicts: [
    VERDICT,
    { ...VERDICT, workload: 'described', mean: 1.0449, verdict: 'inconclusive' },
    { ...VERDICT, era: 'today', n: 0, mean: null, low: null, high: null, verdict: 'not run' },
  ],
  fits: [FIT, { ...FIT, parameter: 'kappa', se: '-', low: '-', high: '-' }, { ...FIT, law: 'two', workload: 'x' }, { ...FIT, law: 'two', workload: 'y' }],
  engines: [{ engine: 'ws', version: '8.23.0' }],
  judged: [{ claim: 'T4', era: '2014', verdict: 'inconclusive', must_hold: 'all', rows: 2 }],
  claims: [{ claim: 'T4', words: 'costs more', published: '75 %' }],
  read: (/** @type {string} */ table) => REDUCED[/** @type {keyof typeof REDUCED} */ (table)] ?? [],
};

/** @param {string} template @returns {string} */
const render = (template) => renderTemplate(template, TABLES, 'findings.md');

/** @param {string} template @returns {string[]} the problems */
function refused(template) {
  try {
    render(template);
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.problems;
  }
  throw new assert.AssertionError({ message: `${template} was not refused` });
}

test('a verdict over all rows that is not there is reported, and what there is', () => {
  assert.deepEqual(refused('{{judgement "T4" "today"}}'), ['findings.md:1: verdict.json has no claim T4, era today; for era "today" use one of 2014']);
});

test('numbers of points, verdicts, fits and versions are asked for by name', () => {
  for (const [template, text] of [
    ['{{point "ws" "listed" "-" "cost"}}', '0.474 [0.443, 0.546]'],
    ['{{point "ws" "listed" "-" "part"}}', '0.223 [no interval: 2 trials]'],
    ['{{trials "ws" "listed" "-" "part"}}', '2 trials'],
    ['{{point "ws" "listed" "processes=2+2+1" "cost"}}', '0.2 [0.1, 0.3]'],
    ['{{mean "ws" "listed" "-" "cost"}}', '0.474'],
    ['{{ratio claim="T4" era="2014" of="a" to="b" workload="listed"}}', '1.56 [1.47, 2]'],
    ['{{range "T4" "2014"}}', '1.04 to 1.56'],
    ['{{range "T4" "2014" workload="listed"}}', '1.56'],
    ['{{judgement "T4" "2014"}}', 'inconclusive'],
    ['{{verdict "T4" "2014"}}', 'reproduced (1 of 2), inconclusive (1 of 2)'],
    ['{{verdict "T4" "2014" workload="listed"}}', 'reproduced'],
    ['{{verdict "T4" "today"}}', 'not run'],
    ['{{fit "usl" "ws" "sigma"}}', '0.0312 [0.02, 0.04]'],
    ['{{fit "usl" "ws" "kappa"}}', '0.0312 [no interval]'],
    ['{{fit "two" "ws" "sigma" workload="x"}}', '0.0312 [0.02, 0.04]'],
    ['{{version "ws"}}: {{claimed "T4"}}, {{published "T4"}}', '8.23.0: costs more, 75 %'],
  ]) assert.equal(render(template), text);
});

test('per cent and factors are reckoned from the whole numbers, not from those shown', () => {
  const [part, cost] = ['part', 'cost'].map((metric) => `(mean "ws" "listed" "-" "${metric}")`);
  assert.equal(render(`{{percent ${part} ${cost}}}`), '47.1 %');
  assert.equal(render(`{{percent ${part}}}`), '22.3 %');
  assert.equal(render(`{{times ${cost} ${part}}}`), '2.13 times');
  assert.equal(render('{{times (ratio claim="T4" era="2014" workload="listed")}}'), '1.56 times');
  assert.equal(render(`{{#ifAbove ${cost} 0.4744}}above{{else}}below{{/ifAbove}}`), 'above');
  assert.equal(render(`{{#ifAbove ${cost} 0.4745}}above{{else}}below{{/ifAbove}}`), 'below');
});

test('ifSurelyAbove asks whether one interval lies wholly above another, or above a number', () => {
  const [higher, lower] = ['(point "ws" "listed" "-" "cost")', '(point "ws" "listed" "processes=2+2+1" "cost")'];
  const sure = (/** @type {string} */ value, /** @type {string} */ bound) => render(`{{#ifSurelyAbove ${value} ${bound}}}yes{{else}}no{{/ifSurelyAbove}}`);
  assert.equal(sure(higher, lower), 'yes');
  assert.equal(sure(lower, higher), 'no');
  assert.equal(sure(higher, '0.44'), 'yes');
  assert.equal(sure(higher, '0.45'), 'no', 'its mean is above, its interval is not');
  assert.equal(sure('(point "ws" "listed" "-" "part")', '0'), 'no', 'two trials have no interval');
  assert.equal(sure(higher, `(product 1.4 ${lower})`), 'yes');
  assert.equal(sure(higher, `(product 1.5 ${lower})`), 'no');
  assert.equal(sure('(ratio claim="T4" workload="listed" era="2014")', '1.4'), 'yes');
});

test('whether a trial of a point stands can be asked before its numbers are', () => {
  const reported = (/** @type {string} */ setting) => render(`{{#ifRun "ws" "listed" "${setting}" "cost"}}run{{else}}not run{{/ifRun}}`);
  assert.deepEqual(['-', 'processes=9'].map(reported), ['run', 'not run']);
  assert.match(refused('{{#ifRun "wss" "listed" "-" "cost"}}a{{/ifRun}}')[0], /spec\.json has no engine wss; .+/);
});

test('a cell of any reduced table is asked for by what singles its row out', () => {
  assert.equal(render('{{cell "demand" "per_worker" role="balancer"}} {{cell "mixes" "bottleneck" setting="processes=2+1+1"}}'), '0.815 worker');
  assert.equal(render('{{difference 2 (product 2 3)}} {{difference (product 2 3) 2}}'), '4 4');
  assert.equal(render('{{product 1000 (cell "demand" "mean" role="balancer")}} ms, {{times (product 2 3) 4}}'), '0.31 ms, 1.5 times');
  assert.deepEqual(refused('{{cell "demand" "per_worker" role="store"}}\n{{cell "demand" "means" role="worker"}}\n{{cell "demand" "mean" line="scheduling=rr"}}'), [
    'findings.md:1: reduced/demand.tsv has no role store; for role "store" use one of balancer, worker',
    'findings.md:2: reduced/demand.tsv has no column means; use one of engine, line, role, mean, per_worker',
    'findings.md:3: reduced/demand.tsv has 2 rows of line scheduling=rr; say which, by role, per_worker',
  ]);
  assert.match(refused('{{cell "demand" "per_worker" role="worker"}}')[0], /^findings\.md:1: reduced\/demand\.tsv has "-" for per_worker: .+; run .+/);
  assert.match(refused('{{cell "errors" "mixes" use="held-out"}}')[0], /^findings\.md:1: reduced\/errors\.tsv has no use held-out; it holds nothing: run the experiment$/);
  assert.match(refused('{{product 2 (cell "mixes" "bottleneck" setting="processes=2+1+1")}}')[0], /^findings\.md:1: product: worker is no number; .+/);
});

test('three columns of any reduced table are a number with its interval, and without one the trials are reported', () => {
  const estimate = (/** @type {string} */ size) => `{{estimate "overhead" "pct" "low_pct" "high_pct" size_b="${size}"}}`;
  assert.equal(render(`${estimate('1')}; ${estimate('9')}`), '64 [47.3, 82.5]; 7 [no interval: 1 trial]');
  assert.deepEqual(refused('{{estimate "overhead" "pct" "low" "high_pct" size_b="1"}}'),
    ['findings.md:1: reduced/overhead.tsv has no column low; use three of size_b, n, pct, low_pct, high_pct']);
});

test('what is said can depend on the verdict: all comparisons must have it', () => {
  const block = (/** @type {string} */ more) => `{{#ifVerdict "T4" "2014" "reproduced" ${more}}}yes{{else}}no{{/ifVerdict}}`;
  assert.equal(render(block('')), 'no');
  assert.equal(render(block('workload="listed"')), 'yes');
  assert.equal(render('{{#ifVerdict "T4" "2014" "reproduced"}}yes{{/ifVerdict}}'), '');
});

test('signs that HTML knows stay as they are, and prose is not touched', () => {
  assert.equal(render('a < b & "c" 2014, 1+1+1, T4\n'), 'a < b & "c" 2014, 1+1+1, T4\n');
});

test('every name that the tables do not hold is reported with its line and what there is in its place', () => {
  assert.deepEqual(refused('a\n{{point "wss" "listed" "-" "cost"}}\n\n{{mean "ws" "listed" "-" "costs"}} {{mean "ws" "listed" "-" "costs"}} {{version "go"}}\n{{fit "usl" "ws" "x"}}'), [
    'findings.md:2: reduced/points.tsv has no engine wss, workload listed, setting -, metric cost; for engine "wss" use one of ws',
    'findings.md:4: reduced/points.tsv has no engine ws, workload listed, setting -, metric costs; for metric "costs" use one of cost, part',
    'findings.md:4: spec.json has no engine go; for engine "go" use one of ws',
    'findings.md:5: reduced/fits.tsv has no law usl, engine ws, parameter x; for parameter "x" use one of sigma, kappa',
  ]);
  assert.match(refused('{{verdict "T5" "2014"}}')[0], /^findings\.md:1: verdict\.json has no claim T5, era 2014; for claim "T5" use one of T4$/);
  assert.match(refused('{{#ifVerdict "T5" "2014" "reproduced"}}x{{/ifVerdict}}')[0], /^findings\.md:1: verdict\.json has no claim T5/);
  assert.match(refused('{{#ifVerdict "T4" "2015" "reproduced"}}x{{/ifVerdict}}')[0], /^findings\.md:1: verdict\.json has no claim T4, era 2015/);
  assert.match(refused('{{published "T99"}}')[0], /^findings\.md:1: experiments\/claims\.tsv has no claim T99/);
});

test('a name that fits several rows is refused with what tells them apart', () => {
  assert.match(refused('{{ratio claim="T4" era="2014"}}').join('\n'), /^findings\.md:1: verdict\.json has 2 rows of .*claim T4.*; say which, by workload$/);
  assert.deepEqual(refused('{{fit "two" "ws" "sigma"}}'),
    ['findings.md:1: reduced/fits.tsv has 2 rows of law two, engine ws, parameter sigma; say which, by workload']);
});

test('a number that was not measured is refused, wherever it is used', () => {
  assert.match(refused('{{ratio claim="T4" era="today"}}')[0], /^findings\.md:1: what is asked for was not run; .+/);
  assert.match(refused('{{range "T4" "today"}}')[0], /^findings\.md:1: verdict\.json has no number for range T4 today; .+/);
  assert.equal(refused('{{times (ratio claim="T4" era="today") 2}}').length, 1);
  assert.match(refused('{{percent "ws"}}')[0], /^findings\.md:1: percent: ws is no number; .+/);
  assert.match(refused('{{times 2 undefined}}')[0], /^findings\.md:1: times: undefined is no number; .+/);
});

test('a template that does not read is refused with its line', () => {
  for (const [template, pattern] of /** @type {[string, RegExp][]} */ ([
    ['a\n{{nothing}}', /^findings\.md:2: "nothing" not defined; use point, mean, .+/],
    ['a\n{{nothing "ws"}}', /^findings\.md:2: "nothing" not defined; use point, mean, .+/],
    ['a\nb\n{{#ifAbove 1 2}}', /^findings\.md:3: Parse error on line 3: .+; use .+/],
    ['a\n{{ifAbove 2 1}}', /^findings\.md:2: ifAbove is a block; write .+/],
  ])) assert.match(refused(template).join('\n'), pattern);
});

test('an experiment is rendered from the tables of the bundle it is given', () => {
  const bundle = join(experiments, '01-x', 'record');
  mkdirSync(join(bundle, 'reduced'), { recursive: true });
  writeJson(join(bundle, 'spec.json'), { engines: { ws: { version: '8.23.0' } } });
  writeJson(join(bundle, 'verdict.json'), { verdicts: [VERDICT], claims: [] });
  writeTsv(join(bundle, 'reduced', 'points.tsv'), Object.keys(TABLES.points[0]), TABLES.points);
  assert.equal(hasFindings('01-x'), false);
  assert.throws(() => renderFindings('01-x', bundle), (error) => error instanceof UserError && /01-x\/findings\.md: is missing; .+/.test(error.message));
  writeFileSync(join(experiments, '01-x', 'findings.md'), '{{version "ws"}} {{mean "ws" "listed" "-" "cost"}} {{verdict "T4" "2014"}}\n');
  assert.equal(hasFindings('01-x'), true);
  assert.equal(renderFindings('01-x', bundle), '8.23.0 0.474 reproduced\n');
  writeFileSync(join(experiments, '01-x', 'findings.md'), '{{fit "usl" "ws" "sigma"}}\n');
  assert.throws(() => renderFindings('01-x', bundle), (error) => error instanceof UserError && /it holds nothing: run the experiment$/.test(error.message));
  writeTsv(join(bundle, 'reduced', 'fits.tsv'), Object.keys(FIT), [FIT]);
  assert.equal(renderFindings('01-x', bundle), '0.0312 [0.02, 0.04]\n');
});

test('of an era without a row in the run a guard is no, and one without a verdict asks whether anything was run', () => {
  const whether = (/** @type {string} */ asked, tables = TABLES) =>
    renderTemplate(`{{#ifVerdict ${asked}}}yes{{else}}no{{/ifVerdict}}`, tables, 'findings.md');
  const without = { ...TABLES, verdicts: TABLES.verdicts.filter(({ era }) => era === 'today') };
  assert.equal(whether('"T4" "2014" "reproduced"', without), 'no');
  assert.equal(whether('"T4" "2014"', without), 'no');
  assert.equal(whether('"T4" "2014"'), 'yes');
  assert.equal(whether('"T4" "today"'), 'no');
  assert.equal(whether('"T4" "today" "not run"'), 'yes');
});

test('engines above a bound are named, and where there are none a block is left out', () => {
  const least = (/** @type {string} */ engine, /** @type {string} */ mean) => ({ engine, workload: 'sweep', setting: '-', metric: 'saturation_at_least', mean, low: '-', high: '-' });
  const tell = (/** @type {[string, string][]} */ ...rows) => {
    const tables = { ...TABLES, points: rows.map(([engine, mean]) => least(engine, mean)) };
    return renderTemplate('{{#if (enginesAbove "sweep" "-" "saturation_at_least" 0)}}of {{enginesAbove "sweep" "-" "saturation_at_least" 0}}{{/if}}', tables, 'findings.md');
  };
  assert.equal(tell(['ws', '0.5'], ['gorilla', '1'], ['cowboy', '0'], ['uws', '1']), 'of gorilla, uws and ws');
  assert.equal(tell(['ws', '1']), 'of ws');
  assert.equal(tell(['ws', '0']), '');
});

test('of the rows that have a number, those within a bound are counted', () => {
  const rows = ['-15', '15', '-15.1', '-', '0'].map((error_pct) => ({ era: '2014', error_pct }));
  const tables = { ...TABLES, read: () => [...rows, { era: 'today', error_pct: '-' }] };
  const tell = (/** @type {string} */ asked) => renderTemplate(`{{within "latency" ${asked}}}`, tables, 'findings.md');
  const problem = (/** @type {RegExp} */ expected) => (/** @type {UserError} */ { problems }) => expected.test(problems[0]);
  assert.equal(tell('"error_pct" 15 era="2014"'), '3 of 4');
  assert.equal(tell('"error_pct" 15 era="today"'), '0 of 0');
  assert.throws(() => tell('"errors" 15 era="2014"'), problem(/latency\.tsv has no column errors; use one of era, error_pct$/));
  assert.throws(() => tell('"error_pct" 15 era="2015"'), problem(/for era "2015" use one of 2014, today$/));
});
