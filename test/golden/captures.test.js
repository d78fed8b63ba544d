/**
 * Dissects real captures: the lines must equal the committed ones. captures/ has two trials of experiment 10, one
 * without TLS and one with it. The committed session keys decrypt that capture and nothing else.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readTsv } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';

const CAPTURES = join(import.meta.dirname, 'captures');
const folder = mkdtempSync(join(tmpdir(), 'captures-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @returns {string} a folder with the capture as tcpdump left it */
function unpack(name) {
  const work = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(work, 'packets.pcap'), gunzipSync(readFileSync(join(CAPTURES, name, 'packets.pcap.gz'))));
  if (existsSync(join(CAPTURES, name, 'keys.log'))) copyFileSync(join(CAPTURES, name, 'keys.log'), join(work, 'keys.log'));
  return work;
}

/** @param {string} work @returns {import('node:child_process').SpawnSyncReturns<string>} */
const dissect = (work) => spawnSync(join(ROOT, 'analysis/captures/pcap-to-packets.sh'), [work, '20000'], { encoding: 'utf8' });

for (const name of readdirSync(CAPTURES)) {
  test(`a capture is dissected to the lines that are committed, and compressed: ${name}`, () => {
    const work = unpack(name);
    const { status, stderr } = dissect(work);
    assert.equal(status, 0, stderr);
    assert.equal(readFileSync(join(work, 'packets.tsv'), 'utf8'), readFileSync(join(CAPTURES, name, 'packets.tsv'), 'utf8'));
    assert.deepEqual(readdirSync(work).filter((file) => file !== 'keys.log').sort(), ['packets.pcap.gz', 'packets.tsv']);
  });
}

test('without the keys of its session nothing within TLS is reported', () => {
  const work = unpack('tls-1.3');
  rmSync(join(work, 'keys.log'));
  assert.equal(dissect(work).status, 0);
  assert.deepEqual(readTsv(join(work, 'packets.tsv')).filter(({ frames, http_b }) => Number(frames) > 0 || Number(http_b) > 0), []);
});

test('what is no capture is refused, and nothing half-written is left', () => {
  const work = mkdtempSync(join(folder, 'none-'));
  writeFileSync(join(work, 'packets.pcap'), 'no capture');
  assert.notEqual(dissect(work).status, 0);
  assert.deepEqual(readdirSync(work), ['packets.pcap']);
});
