import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, writeJson } from '../../harness/common/files.js';
import { EXPERIMENTS, recordOf } from '../../harness/common/places.js';
import { listRecorded } from '../../harness/show/runs.js';
import { LONGEST_TITLE, findTitles, listClaimsOfFigures, readTemplates, readTitles } from '../../harness/show/titles.js';
import { listExperiments } from '../../harness/spec/spec.js';

const EXPERIMENT = '01-client-throughput';
const SPEC = { experiment: EXPERIMENT, profile: 'default' };

/** @param {(verdict: any) => any} change @returns {string} the result of record, judged otherwise */
function judgeOtherwise(change) {
  const folder = mkdtempSync(join(tmpdir(), 'titles-test-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(recordOf(EXPERIMENT), folder, { recursive: true });
  const path = join(folder, 'verdict.json');
  writeJson(path, change(readJson(path)));
  return folder;
}

/** @param {string} verdict @returns {(judged: any) => any} every claim has it */
const say = (verdict) => (judged) => ({ ...judged, claims: judged.claims.map((/** @type {any} */ claim) => ({ ...claim, verdict })) });

test('a figure is titled by what was found where its claim was judged so', () => {
  const titles = findTitles(SPEC, judgeOtherwise(say('reproduced')));
  assert.match(titles.glance, /^A second client process brings twice as many/);
  assert.match(titles['load-2014'], /^Two client processes connect twice as many/);
});

test('where nothing stands, or another verdict, a figure keeps the title of its script', () => {
  for (const verdict of ['inconclusive', 'not run', 'not reproduced']) {
    assert.deepEqual(new Set(Object.values(findTitles(SPEC, judgeOtherwise(say(verdict))))), new Set(['']), verdict);
  }
  assert.deepEqual(new Set(Object.values(findTitles(SPEC, judgeOtherwise((judged) => ({ ...judged, claims: [] }))))), new Set(['']));
});

test('figures of a smoke run say nothing of what was found, nor those of a run that was not judged', () => {
  assert.deepEqual(findTitles({ ...SPEC, profile: 'quick' }, judgeOtherwise(say('reproduced'))), {});
  const unjudged = judgeOtherwise(say('reproduced'));
  rmSync(join(unjudged, 'verdict.json'));
  assert.deepEqual(findTitles(SPEC, unjudged), {});
});

test('a figure shows the claims that its title rests on, and those that it is said to show', () => {
  const claims = listClaimsOfFigures('05-core-scaling');
  assert.deepEqual([claims.glance, claims.curves], [['T10', 'T8'], ['R3', 'T11', 'T19']]);
  assert.deepEqual(listClaimsOfFigures('90-untitled'), {});
});

test('an experiment without such titles has none', () => {
  assert.deepEqual(findTitles({ experiment: '90-untitled', profile: 'default' }, recordOf(EXPERIMENT)), {});
});

for (const experiment of listExperiments().filter((name) => existsSync(join(EXPERIMENTS, name, 'titles.toml')))) {
  test(`titles of ${experiment} are of figures that there are`, () => {
    const { templates, shows } = readTemplates(experiment);
    const figures = [...Object.keys(templates), ...Object.keys(shows)];
    const scripts = readdirSync(join(EXPERIMENTS, experiment)).filter((name) => name.endsWith('.gp'));
    assert.deepEqual(figures.filter((figure) => !scripts.includes(`${figure}.gp`)), []);
  });
}

for (const experiment of listExperiments()) {
  test(`each figure of ${experiment} has a title that says what was found, or is said to have none`, () => {
    const titled = Object.keys(readTemplates(experiment).templates);
    const figures = readdirSync(join(EXPERIMENTS, experiment)).filter((name) => name.endsWith('.gp')).map((name) => name.replace(/\.gp$/, ''));
    assert.deepEqual(figures.filter((figure) => !titled.includes(figure)), []);
  });
}

for (const experiment of listRecorded().filter((name) => existsSync(join(EXPERIMENTS, name, 'titles.toml')))) {
  test(`titles of the record of ${experiment} ask for nothing that it does not hold, and fit on a line`, () => {
    for (const [figure, render] of Object.entries(readTitles(experiment, recordOf(experiment)))) {
      const title = render();
      assert.ok(title.length <= LONGEST_TITLE, `${figure}: ${title.length} characters: ${title}`);
    }
  });
}
