import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const experiments = mkdtempSync(join(tmpdir(), 'claims-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the modules are loaded
const { listClaimTables, readClaims } = await import('../../harness/common/claims.js');
const { readTsv, writeTsv } = await import('../../harness/common/files.js');
const { CLAIMS } = await import('../../harness/common/places.js');

test('the claims of the sources are known, and after them those that an experiment brings in its own folder', () => {
  const columns = ['claim', 'source', 'section', 'words', 'published', 'criterion'];
  const own = { claim: 'X1', source: 'a paper', section: '2', words: 'it is faster', published: 'twice', criterion: 'above 1' };
  const ofSources = readTsv(CLAIMS);
  mkdirSync(join(experiments, '99-own'));
  mkdirSync(join(experiments, '98-none'));
  writeTsv(join(experiments, '99-own', 'claims.tsv'), columns, [own]);
  assert.ok(ofSources.length > 30);
  assert.deepEqual(Object.keys(ofSources[0]), columns);
  assert.deepEqual(readClaims().slice(ofSources.length), [own]);
  assert.deepEqual(listClaimTables().map(({ name }) => name), ['claims.tsv', '99-own/claims.tsv']);
});
