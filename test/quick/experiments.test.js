/** Two experiments at their smallest, from manifest to verdict. test/more/all-experiments.test.js runs all of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';

const results = mkdtempSync(join(tmpdir(), 'quick-test-'));
after(() => rmSync(results, { recursive: true }));

for (const experiment of ['01-client-throughput', '03-engineio-vs-socketcluster']) {
  test(`${experiment} runs at its smallest, and leaves numbers of each engine`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'harness/main.js'), 'run', experiment, '--profile', 'quick'], {
      cwd: ROOT, encoding: 'utf8', env: { ...process.env, WSCALE_RESULTS: results },
    });
    assert.equal(status, 0, stdout + stderr);
    const bundle = join(results, experiment, readdirSync(join(results, experiment))[0]);
    // without the reference, which the tables leave out
    const engines = new Set(readJson(join(bundle, 'spec.json')).axes.engine);
    // On a busy machine trials may be flagged; their numbers are in flagged-points
    const has = new Set(['points', 'flagged-points'].flatMap((table) => readTsv(join(bundle, 'reduced', `${table}.tsv`))).map(({ engine }) => engine));
    assert.deepEqual(has, engines);
    assert.match(stdout, /^bundle {2}/m);
    assert.deepEqual(readTsv(join(bundle, 'yardstick.tsv')).map(({ block, position, host }) => [block, position, host].join(' ')), ['1 before local', '1 after local']);
    assert.match(readFileSync(join(bundle, 'summary.txt'), 'utf8'), /^waking cost [\d.]+ us, [\d.]+ to [\d.]+ over the run; .* \(2 yardsticks\)$/m);
  });
}
