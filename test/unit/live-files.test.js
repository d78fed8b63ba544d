/** What a bundle holds of a trial before its end. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readTsv } from '../../harness/common/files.js';
import { Agent } from '../../harness/run/agent.js';
import { keepSecond, keepWritten } from '../../harness/run/watched.js';

const raw = mkdtempSync(join(tmpdir(), 'live-files-test-'));
/** @type {Agent | undefined} */
let agent;
after(async () => {
  await agent?.close();
  rmSync(raw, { recursive: true });
});

test('each second is a line, with what the clients told where they did', () => {
  keepSecond(raw, { host: 'a', t_s: 0, established: 3, warnings: [] });
  keepSecond(raw, { host: 'a', t_s: 1, cores: { worker: 0.5, client: 0.1 }, client: { connected: 7, sent: 5, sent_hz: 5, latency_p99_us: 9 }, warnings: ['late', 'x'] });
  const rows = readTsv(join(raw, 'live.tsv'));
  const columns = ['host', 't_s', 'established', 'connected', 'sent_hz', 'latency_p99_us', 'cores', 'warnings'];
  assert.deepEqual(rows.map((row) => columns.map((column) => row[column])), [
    ['a', '0', '3', '-', '-', '-', '-', '-'],
    ['a', '1', '-', '7', '5', '9', 'worker=0.5,client=0.1', 'late,x'],
  ]);
});

test('what is written elsewhere is kept at the end of a file of the same name, here and nowhere else', () => {
  keepWritten(raw, { name: 'accounts.tsv', text: 'mark\n' });
  keepWritten(raw, { name: '../accounts.tsv', text: 'start\n' });
  assert.equal(readFileSync(join(raw, 'accounts.tsv'), 'utf8'), 'mark\nstart\n');
  // a missing folder or a full disk is no error
  keepWritten(join(raw, 'accounts.tsv', 'sub'), { name: 'accounts.tsv', text: 'lost' });
});

test('the accounts that an agent reads are reported as they are written, before their folder is fetched', async () => {
  agent = await Agent.start();
  const session = await agent.open('t1');
  const written = /** @type {{name: string, text: string}[]} */ ([]);
  session.onWritten = (each) => written.push(each);
  await session.ask('network', { settings: {} });
  const started = await session.start({ argv: ['sh', '-c', 'read go; exec sleep 60'], side: 'client', stdin: 'pipe', log: 'client' });
  await session.ask('watch', { processes: [{ pid: started.pid, role: 'client', index: 1, side: 'client' }] });
  await session.ask('load', { lead_us: 100_000, go: [started.pid], server: started.pid, marks: [['window_start', 0.2], ['window_end', 0.4]] });
  rmSync(join(raw, 'accounts.tsv'));
  written.forEach((each) => keepWritten(raw, each));
  const marks = readTsv(join(raw, 'accounts.tsv')).filter(({ role }) => role === 'client').map(({ mark }) => mark);
  assert.deepEqual(marks, ['start', 'window_start', 'window_end']);
  assert.equal(readFileSync(join(raw, 'accounts.tsv'), 'utf8'), await session.read('accounts.tsv'));
  assert.deepEqual([...new Set(written.map(({ name }) => name))].sort(), ['accounts.tsv', 'host.tsv', 'samplers.tsv', 'threads.tsv']);
  await session.abort();
  await session.close();
});
