import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFault } from '../../harness/run/saturate.js';
import { OFFERS_MAX, findSaturation } from '../../harness/plan/search.js';

const SEARCH = { resolution: 0.09, p99_ms_max: 50, generator_cpu_max: 0.9, late_share_max: 0.01 };
/** The result of a probe that found no fault. */
const GOOD = { p99_ms: 2, lost: 0, late_share: 0, generator_cpu: 0.1 };
/**
 * A probe's result: above the p99 bound if fewer messages are answered than due.
 * @param {number} due @param {number} answered
 */
const judged = (due, answered) => ({ ...GOOD, p99_ms: due > answered * 1.001 ? 400 : 2 });

/**
 * A server with a capacity. A closed loop sends batches, for which its capacity differs.
 * @param {number} capacity_hz @param {number} [company] capacity for batches, relative to `capacity_hz`
 */
const serverOf = (capacity_hz, company = 1) => {
  /** @type {(number | undefined)[]} */
  const offers = [];
  return {
    offers,
    probe: async (/** @type {number | undefined} */ rateHz) => {
      offers.push(rateHz);
      const due = rateHz ?? capacity_hz * company;
      const answered = rateHz === undefined ? due : Math.min(due, capacity_hz);
      return { ...judged(due, answered), offered_hz: due, answered, answered_hz: answered };
    },
  };
};

/**
 * @param {(offered_hz: number, isOpen: boolean) => number} answer
 * @returns {(rateHz: number | undefined) => Promise<import('../../harness/plan/search.js').Probed>}
 */
const answering = (answer) => async (rateHz) => {
  const offered_hz = rateHz ?? 1000;
  const answered = answer(offered_hz, rateHz !== undefined);
  return { ...judged(offered_hz, answered), offered_hz, answered, answered_hz: answered };
};

test('the highest rate that is answered is found to within some per cent, from below', async () => {
  for (const capacity of [10, 1000, 123456]) {
    const { saturation_hz } = await findSaturation(SEARCH, serverOf(capacity).probe);
    assert.ok(saturation_hz > 0.91 * capacity && saturation_hz <= capacity, `${saturation_hz} of ${capacity}`);
  }
});

test('the saturation is found if messages in a batch cost a third, or three times as much', async () => {
  for (const company of [3, 1 / 3]) {
    const { saturation_hz } = await findSaturation(SEARCH, serverOf(1000, company).probe);
    assert.ok(saturation_hz > 910 && saturation_hz <= 1000, `${saturation_hz}`);
  }
});

test('the first probe is a closed loop, the others are open, and each is reported with what it came to', async () => {
  const { offers, probe } = serverOf(1000);
  const { steps } = await findSaturation(SEARCH, probe);
  assert.deepEqual(offers.map((rate) => rate === undefined), [true, ...Array(offers.length - 1).fill(false)]);
  assert.deepEqual(steps.map(({ step }) => step), offers.map((_, index) => index + 1));
  for (const { loop, p99_ms, passed } of steps.slice(1)) {
    assert.equal(loop, 'open');
    assert.equal(passed, p99_ms <= SEARCH.p99_ms_max ? 'yes' : 'no');
  }
});

test('it ends only when one offer has passed and one has failed, however far off the closed loop was', async () => {
  for (const company of [3, 1, 1 / 3]) {
    const { steps } = await findSaturation(SEARCH, serverOf(1000, company).probe);
    assert.deepEqual(new Set(steps.slice(1).map(({ passed }) => passed)), new Set(['yes', 'no']));
  }
});

test('what was due before the window and is answered in it is not counted as more than was offered', async () => {
  const probe = answering((offered_hz) => Math.min(1200, 1.2 * offered_hz));
  const { saturation_hz, steps } = await findSaturation(SEARCH, probe);
  const passed = steps.filter(({ loop, passed: word }) => loop === 'open' && word === 'yes').map(({ offered_hz }) => offered_hz);
  assert.ok(saturation_hz <= Math.max(...passed));
});

test('a server that answers nothing has no saturation, and the search ends', async () => {
  const probe = answering((offered_hz, isOpen) => (isOpen ? 0 : offered_hz));
  const told = /no rate, down to \d+ a second: none was answered with a p99 under 50 ms \(p99_ms_max\) and no loss; see raw\/search/;
  /** @type {import('../../harness/plan/search.js').Step[]} */
  const steps = [];
  await assert.rejects(findSaturation(SEARCH, probe, steps), told);
  // the steps show why
  assert.deepEqual(steps.map(({ loop, passed }) => `${loop} ${passed}`), ['closed yes', ...Array(OFFERS_MAX).fill('open no')]);
});

test('a server that answers no closed loop either is told at once', async () => {
  const told = /a closed loop over all connections had no answer; see whether the server answers: /;
  await assert.rejects(findSaturation(SEARCH, answering(() => 0)), told);
});

test('a closed loop that was disturbed, and says a hundredth of what is answered, only makes the search longer', async () => {
  const probe = answering((offered_hz, isOpen) => (isOpen ? Math.min(offered_hz, 1000) : 10));
  const { saturation_hz } = await findSaturation(SEARCH, probe);
  assert.ok(saturation_hz > 1000 / (1 + SEARCH.resolution) && saturation_hz <= 1000, `${saturation_hz}`);
});

test('a server that never falls behind has no saturation either', async () => {
  const all = answering((offered_hz) => offered_hz);
  const told = /the search ended before a rate failed: \d+ a second were still answered with a p99 under 50 ms .+ no loss; see raw\/search/;
  await assert.rejects(findSaturation(SEARCH, all), told);
});

/**
 * A server that keeps up with every rate, but gets slow or loses a message.
 * @param {number} late_hz above it, the p99 exceeds the bound @param {number} loses_hz above it, one message is lost
 * @returns {(rateHz: number | undefined) => Promise<import('../../harness/plan/search.js').Probed>}
 */
const answeringLate = (late_hz, loses_hz) => async (rateHz) => {
  const due = rateHz ?? 5000;
  return { ...GOOD, offered_hz: due, answered: due, answered_hz: due, p99_ms: due > late_hz ? 51 : 49, lost: due > loses_hz ? 1 : 0 };
};

test('a server that answers all too late, or loses one message, has a saturation where it no longer meets the objective', async () => {
  for (const [late_hz, loses_hz] of [[1000, Infinity], [Infinity, 1000]]) {
    const { saturation_hz, at_least } = await findSaturation(SEARCH, answeringLate(late_hz, loses_hz));
    assert.ok(!at_least && saturation_hz > 910 && saturation_hz <= 1000, `${saturation_hz}`);
  }
});

test('a load that sends late is the limit, though its core is not full and the server answers late too', async () => {
  const probe = answeringLate(1000, Infinity);
  const { at_least } = await findSaturation(SEARCH, async (rateHz) => {
    const probed = await probe(rateHz);
    return { ...probed, late_share: probed.offered_hz > 1000 ? 0.02 : 0 };
  });
  assert.equal(at_least, true);
});

/**
 * A server with a capacity, and a load generator whose core is full at a rate. A closed loop sends 20 times that rate.
 * @param {number} capacity_hz of the server @param {number} full_hz of the generator
 * @returns {(rateHz: number | undefined) => Promise<import('../../harness/plan/search.js').Probed>}
 */
const loadedBy = (capacity_hz, full_hz) => async (rateHz) => {
  const due = rateHz ?? 20 * full_hz;
  const answered = Math.min(due, capacity_hz);
  const generator_cpu = Math.min(0.98, due / full_hz);
  return { ...judged(due, answered), offered_hz: due, answered, answered_hz: answered, generator_cpu };
};

test('where the load\'s core is full before the server falls behind, the search ends there and tells a rate that is answered at least', async () => {
  const { saturation_hz, at_least, steps } = await findSaturation(SEARCH, loadedBy(1e7, 1000));
  assert.equal(at_least, true);
  assert.ok(saturation_hz > 0.9 * 1000 / 1.1 && saturation_hz <= 0.9 * 1000, `${saturation_hz}`);
  assert.ok(steps.every(({ passed, generator_cpu, loop }) => loop === 'closed' || (passed === 'yes') === (Number(generator_cpu) <= 0.9)));
  assert.deepEqual(new Set(steps.slice(1).map(({ limit }) => limit)), new Set(['load', undefined]));
});

test('where the server falls behind first it is saturated, though offers before were too much for the load', async () => {
  const { saturation_hz, at_least, steps } = await findSaturation(SEARCH, loadedBy(500, 1000));
  assert.equal(at_least, false);
  assert.ok(saturation_hz > 0.91 * 500 && saturation_hz <= 500, `${saturation_hz}`);
  assert.ok(steps.some(({ limit }) => limit === 'server'));
});

test('a load that can\'t be made at any rate is reported as the load\'s limit, not as the server\'s', async () => {
  const full = async (/** @type {number | undefined} */ rateHz) => ({ ...await loadedBy(1e7, 1000)(rateHz), generator_cpu: 0.99 });
  const reported = /no rate, down to \d+ a second: the load makes none in time on 0\.9 of its cores \(generator_cpu_max\); see raw\/search/;
  await assert.rejects(findSaturation(SEARCH, full), reported);
});

test('a probe with too few connections, or whose client was kept from running, says nothing of the server', () => {
  const wanted = { connections: 400, probe_s: 1 };
  assert.equal(findFault({ connected: 400, hold_s: 1.02 }, wanted), undefined);
  assert.match(String(findFault({ connected: 300, hold_s: 1 }, wanted)), /^a probe began with 300 of 400 connections: /);
  const late = String(findFault({ connected: 400, hold_s: 2.6 }, wanted));
  assert.match(late, /^a probe of 1 s took 2\.60 s: its client was kept from running; /);
});
