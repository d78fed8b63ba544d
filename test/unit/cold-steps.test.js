import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveOutColdSteps } from '../../analysis/points/cold-steps.js';
import { asText, formatRows, parseTsv } from '../../harness/common/files.js';

/** @typedef {Record<string, string>} Row */

/** @param {string} trial @param {string[]} shares of its steps @returns {Record<string, unknown>[]} a row per step of the server */
const stepsOf = (trial, shares) => shares.map((share, index) => ({
  trial, setting: 'cores=1', 'setting.cores': '1', step: index + 1, total_rate_hz: 1000 * (index + 1), side: 'server', role: 'server', share,
}));

/**
 * @param {number} form of a bundle @param {Record<string, Record<string, unknown>[]>} tables of it
 * @returns {Record<string, Row[]>} the tables after that
 */
function leaveOut(form, tables) {
  const left = Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, asText(rows)]));
  leaveOutColdSteps({ form }, {
    read: (name) => left[name] ?? [],
    write: (name, columns, rows) => void (left[name] = parseTsv(`${columns.join('\t')}\n${formatRows(columns, rows)}`)),
  });
  return left;
}

const listSteps = (/** @type {Row[]} */ rows) => rows.map(({ trial, step }) => `${trial} ${step}`);

test('up to form 3 the first step of a sweep at shares of saturation is left out, and listed', () => {
  const steps = [...stepsOf('sweep', ['-', '0.5', '1']), ...stepsOf('idle', ['-'])];
  const { steps: left, disturbed, 'flagged-steps': flagged } = leaveOut(3, { steps, 'flagged-steps': stepsOf('flagged', ['-', '0.5']) });
  assert.deepEqual(listSteps(left), ['sweep 2', 'sweep 3', 'idle 1']);
  assert.deepEqual(listSteps(flagged), ['flagged 2']);
  assert.deepEqual(disturbed, [
    { trial: 'sweep', step: '1', total_rate_hz: '1000', leaves: 'all', reason: 'cold-connections', value: '0', bound: '1' },
  ]);
  assert.deepEqual(leaveOut(3, { steps: left, disturbed }), { steps: left, disturbed }, 'a second time changes nothing');
});

test('from form 4 on a sweep keeps its first step', () => {
  const steps = stepsOf('sweep', ['-', '0.5']);
  assert.deepEqual(listSteps(leaveOut(4, { steps }).steps), ['sweep 1', 'sweep 2']);
});
