/** Recorders of packets: how many they lost, and when their file is complete. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RECORDERS, waitUntilStill } from '../../harness/agent/recorder.js';

const folder = mkdtempSync(join(tmpdir(), 'recorder-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {number} captured @param {number} received @param {number} dropped @returns {string} tcpdump's messages */
const tcpdump = (captured, received, dropped) =>
  `tcpdump: listening on eth0\n${captured} packets captured\n${received} packets received by filter\n${dropped} packets dropped by kernel\n`;

/** @param {number} dropped @returns {string} dumpcap's messages */
const dumpcap = (dropped) => `File: packets.pcap\nPackets captured: 9\nPackets received/dropped on interface 'eth0': 9/${dropped} (pcap:0/dumpcap:0)\n`;

test('packets are lost that the kernel dropped, and those that were not read before the end', () => {
  assert.equal(RECORDERS.root.countLost(tcpdump(5928, 5928, 0)), 0);
  assert.equal(RECORDERS.root.countLost(tcpdump(5842, 5928, 0)), 86);
  assert.equal(RECORDERS.root.countLost(tcpdump(9, 9, 3)), 3);
  assert.equal(RECORDERS.root.countLost(tcpdump(1, 1, 0).replace('packets captured', 'packet captured')), 0);
  assert.equal(RECORDERS.other.countLost(dumpcap(0)), 0);
  assert.equal(RECORDERS.other.countLost(dumpcap(2)), 2);
});

test('how many were lost is not known of one that did not say', () => {
  assert.ok(Number.isNaN(RECORDERS.root.countLost('tcpdump: listening on eth0\n')));
  assert.ok(Number.isNaN(RECORDERS.other.countLost('File: packets.pcap\n')));
});

test('a file that still grows is waited for', async () => {
  const file = join(folder, 'growing');
  writeFileSync(file, '');
  let written = 0;
  const growing = setInterval(() => {
    appendFileSync(file, 'x');
    if (++written === 4) clearInterval(growing);
  }, 200);
  await waitUntilStill(file);
  assert.equal(statSync(file).size, 4);
});

test('a file that is not there is not waited for without end', async () => {
  await waitUntilStill(join(folder, 'none'));
});
