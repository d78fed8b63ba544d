import assert from 'node:assert/strict';
import { test } from 'node:test';
import random from '../../clients/common/random.cjs';
import scheduleModule from '../../clients/forked/schedule.cjs';

const Schedule = /** @type {any} */ (scheduleModule); // an ES5 constructor

/**
 * @param {any} schedule
 * @param {number} now
 * @param {(id: number, time: number) => number} [again]
 */
function runDue(schedule, now, again = () => Infinity) {
  /** @type {[number, number][]} */
  const seen = [];
  schedule.runDue(now, (/** @type {number} */ id, /** @type {number} */ time) => {
    seen.push([id, time]);
    return again(id, time);
  });
  return seen;
}

test('an empty schedule is never due', () => {
  const schedule = new Schedule();
  assert.equal(schedule.next(), Infinity);
  assert.deepEqual(runDue(schedule, 1e9), []);
});

test('entries are visited in order of time, those of the future are kept', () => {
  const schedule = new Schedule();
  const draw = random.createGenerator(1, 1);
  const times = Array.from({ length: 500 }, () => Math.floor(draw() * 1000));
  times.forEach((time, id) => schedule.push(time, id));
  const early = runDue(schedule, 400);
  const late = runDue(schedule, 1000);
  const sorted = times.toSorted((a, b) => a - b);
  assert.deepEqual([...early, ...late].map(([, time]) => time), sorted);
  assert.equal(early.length, sorted.filter((time) => time <= 400).length);
  for (const [id, time] of [...early, ...late]) assert.equal(times[id], time);
  assert.equal(schedule.next(), Infinity);
});

test('what is overdue is caught up at once, in order, each occurrence with the time it was due', () => {
  const schedule = new Schedule();
  schedule.push(10, 0);
  schedule.push(15, 1);
  const seen = runDue(schedule, 60, (id, time) => time + (id === 0 ? 10 : 30));
  assert.deepEqual(seen.map(([id, time]) => `${id}@${time}`), ['0@10', '1@15', '0@20', '0@30', '0@40', '1@45', '0@50', '0@60']);
  assert.equal(schedule.next(), 70);
});

test('an entry that is due never again goes', () => {
  const schedule = new Schedule();
  [1, 2, 3].forEach((time) => schedule.push(time, time));
  runDue(schedule, 2);
  assert.equal(schedule.next(), 3);
});
