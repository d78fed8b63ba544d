import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSaturation } from '../../harness/search.js';

const SEARCH = { connections: 10, probe_s: 1, steps: 6, behind_share_max: 0.03, measured_share: 0.9 };

/**
 * A server that answers up to a rate, and in company, as a closed loop sends, so much more.
 * @param {number} capacity_hz @param {number} [company]
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
      return { offered_hz: due, due, answered, answered_hz: answered };
    },
  };
};

test('the highest rate that is answered is found to within a few per cent, from below', async () => {
  for (const capacity of [10, 1000, 123456]) {
    const { saturation_hz } = await findSaturation(SEARCH, serverOf(capacity).probe);
    assert.ok(saturation_hz > 0.96 * capacity && saturation_hz <= capacity, `${saturation_hz} of ${capacity}`);
  }
});

test('it is found where messages in company are twice as cheap, or half', async () => {
  for (const company of [2, 0.5]) {
    const { saturation_hz } = await findSaturation({ ...SEARCH, steps: 8 }, serverOf(1000, company).probe);
    assert.ok(saturation_hz > 900 && saturation_hz <= 1000, `${saturation_hz}`);
  }
});

test('the first probe is a closed loop, the others are open, and each is told with what it came to', async () => {
  const { offers, probe } = serverOf(1000);
  const { steps } = await findSaturation(SEARCH, probe);
  assert.deepEqual(offers.map((rate) => rate === undefined), [true, ...Array(SEARCH.steps).fill(false)]);
  assert.deepEqual(steps.map(({ step }) => step), [1, 2, 3, 4, 5, 6, 7]);
  for (const { loop, behind_share, passed } of steps.slice(1)) {
    assert.equal(loop, 'open');
    assert.equal(passed, behind_share <= SEARCH.behind_share_max ? 'yes' : 'no');
  }
});

test('a server that answers nothing has no saturation, and the search ends', async () => {
  const probe = async (/** @type {number | undefined} */ rateHz) => ({ offered_hz: rateHz ?? 100, due: 100, answered: rateHz === undefined ? 100 : 0, answered_hz: rateHz === undefined ? 100 : 0 });
  await assert.rejects(findSaturation(SEARCH, probe), /the search found no rate that was answered, down to \d+ a second; raise search\.steps/);
});
