/** Checks a server's environment: each setting of servers/CONTRACT.md missing or impossible, and the number of its processes. */
import { RUN_DIR } from '../common/protocol.js';
import { stopServer } from '../run/lifecycle.js';
import { EXIT, UPDATES, Unsupported, expect, expectRefusal } from './conformance-fixture.js';

/** @typedef {import('./conformance-fixture.js').Fixture} Fixture */
/** @typedef {{variable: string, wrong: string, behaviour: string}} Setting `wrong`: an impossible value */

/** Impossible value of any setting with listed values. */
const UNKNOWN = 'no-such-value';

/** @param {string} name of a role or an option @returns {string} */
const upper = (name) => name.toUpperCase().replaceAll('-', '_');

/** @param {Pick<Fixture, 'engine'>} fixture @returns {Setting[]} all settings of this engine except the behaviour */
export function listSettings({ engine }) {
  const { behaviours, roles, options = {} } = engine;
  const [behaviour] = behaviours;
  /** @type {(variable: string, wrong: string, within?: string) => Setting} */
  const setting = (variable, wrong, within = behaviour) => ({ variable, wrong, behaviour: within });
  return [
    setting('WSCALE_HOST', 'nowhere'),
    setting('WSCALE_PORT', '70000'),
    setting('WSCALE_RUN_DIR', `${RUN_DIR}/absent`),
    ...Object.entries(roles).map(([role, { max }]) => setting(`WSCALE_${upper(role)}S`, String(max + 1))),
    ...Object.keys(options).map((option) => setting(`WSCALE_OPTION_${upper(option)}`, UNKNOWN)),
    ...(behaviours.includes(UPDATES) ? [setting('WSCALE_UPDATE_PERIOD_MS', '-1', UPDATES), setting('WSCALE_SEED', '-1', UPDATES)] : []),
    ...behaviours.filter((name) => name.startsWith('file')).map((name) => setting('WSCALE_PAYLOAD_B', '0', name)),
  ];
}

/** @param {Fixture} fixture @param {Setting} setting @param {string | undefined} value */
async function expectRefused(fixture, { variable, behaviour }, value) {
  const said = value === undefined ? `without ${variable}` : `with ${variable}=${value}`;
  await expectRefusal(fixture, { behaviour, payload_b: 1, env: { [variable]: value } }, EXIT.settings, `${said}: `);
}

/** @param {Fixture} fixture */
export async function expectMissingRefused(fixture) {
  const all = [...listSettings(fixture), { variable: 'WSCALE_BEHAVIOUR', wrong: '', behaviour: fixture.engine.behaviours[0] }];
  for (const setting of all) await expectRefused(fixture, setting, undefined);
}

/** @param {Fixture} fixture an unknown behaviour is checked elsewhere, as it has its own exit code */
export async function expectImpossibleRefused(fixture) {
  for (const setting of listSettings(fixture)) await expectRefused(fixture, setting, setting.wrong);
}

/** @param {Fixture} fixture run with one more process of each role than by default */
export async function expectToldCounts(fixture) {
  const { roles } = fixture.engine;
  /** @type {[string, number][]} */
  const wanted = Object.entries(roles).map(([role, limits]) => [role, Math.min(limits.default + 1, limits.max)]);
  if (wanted.every(([role, count]) => count === roles[role].default)) throw new Unsupported('no role can have more processes');
  const { server, ready } = await fixture.startReady({ processes: Object.fromEntries(wanted) });
  for (const [role, count] of wanted) {
    const found = ready.processes.filter((process) => process.role === role).length;
    expect(found === count, `with WSCALE_${upper(role)}S=${count}: ${found} of ${count} ${role} in the ready line`);
  }
  await stopServer(server);
}
