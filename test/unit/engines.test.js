import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listEngines, readEngine } from '../../harness/engines.js';

/** SocketCluster of 2014 is rebuilt from its parts. */
const EXCEPTED = ['socketcluster-2014'];

for (const name of listEngines().filter((engine) => !EXCEPTED.includes(engine))) {
  test(`${name} is a server of at most sixty lines of code`, () => {
    const { folder } = readEngine(name);
    const sources = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const lines = sources.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
    const code = lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    assert.ok(code.length <= 60, `${code.length} lines`);
  });
}
