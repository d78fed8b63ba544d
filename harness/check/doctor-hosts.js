/** `make doctor HOSTS=…`: lists what would spoil a run on the hosts or between them. Installs the suite there, changes nothing else. */
import { TrialError, UserError } from '../common/failure.js';
import { EXCHANGES, boundOf, compareClocks, driftOf, readClock } from '../run/clocks.js';
import { formatDuration } from '../common/format.js';
import { Fleet, STARTS_AT_A_TIME } from '../run/fleet.js';
import { readHosts } from '../spec/hosts.js';
import { diagnose, formatLines, isColoured } from './doctor.js';
import { measureCharges, tellCharges } from './doctor-yardstick.js';

/** @typedef {import('./doctor.js').Finding} Finding */
/** @typedef {import('../run/fleet.js').Member} Member */

const BOUNDS = {
  clock_us: 1000, // a thousandth of a 1 s window
  drift_ppm: 100, // usual tolerance of a crystal
  wall_s: 1,
};
/** Most likely used by the sources' hosts; runs on one host use it between namespaces. */
const CONGESTION = 'cubic';
/** Not needed on hosts of hosts.toml: trials make no network there, and no figure is drawn. */
const NOT_OF_HOSTS = ['namespaces', 'link', 'gnuplot', 'font', 'awk'];
const RATE_S = 2;

/** @param {Finding['status']} status @param {string} what @param {string} value @param {string} [change] @returns {Finding} */
const finding = (status, what, value, change) => ({ status, what, value, ...(status !== 'ok' && { change }) });

/** @param {number} us */
const ms = (us) => `${(us / 1000).toFixed(3)} ms`;

/** @param {import('../run/clocks.js').Reading} reading compared with the coordinator's clock @returns {Finding} */
const diagnoseTrip = ({ rtt_us }) => finding('ok', 'round trip', `${ms(rtt_us)} from here to its agent, the least of ${EXCHANGES}`);

/** @param {import('../run/clocks.js').HostClock | undefined} clock against the server's; none for that host itself @returns {Finding[]} */
export function diagnoseClock(clock) {
  if (!clock) return [finding('ok', 'clock', 'the other hosts are compared with it')];
  const [bound_us, drift_ppm] = [boundOf(clock), driftOf(clock)];
  return [
    finding(bound_us <= BOUNDS.clock_us ? 'ok' : 'warn', 'clock', `known to ${ms(bound_us)} against the server's`, 'put both hosts near each other: this is half a round trip between them'),
    finding(Math.abs(drift_ppm) <= BOUNDS.drift_ppm ? 'ok' : 'warn', 'clock drift', `${drift_ppm.toFixed(1)} ppm against the server's`, 'chrony or systemd-timesyncd on both'),
  ];
}

/** Load and marks use monotonic clocks; TLS checks certificates by this one. @param {number} ahead_ms of this host @returns {Finding} */
export function diagnoseWallClock(ahead_ms) {
  const seconds = Math.abs(ahead_ms) / 1000;
  const isNear = seconds <= BOUNDS.wall_s;
  const value = isNear ? 'as here' : `${formatDuration(seconds)} ${ahead_ms > 0 ? 'ahead' : 'behind'}: no number rests on it, but TLS refuses what is not valid yet`;
  return finding(isNear ? 'ok' : 'warn', 'time of day', value, 'chrony or systemd-timesyncd there');
}

/** @param {string | undefined} control @returns {Finding} */
export function diagnoseCongestion(control) {
  return finding(control === CONGESTION ? 'ok' : 'warn', 'congestion control', control ?? 'not shown', `sudo sysctl -w net.ipv4.tcp_congestion_control=${CONGESTION}`);
}

/** @param {any} readings of an agent, with null for no limit @returns {Finding[]} */
function diagnoseMachine(readings) {
  const { descriptors_soft, descriptors_hard } = readings;
  const whole = { ...readings, descriptors_soft: descriptors_soft ?? Infinity, descriptors_hard: descriptors_hard ?? Infinity };
  return diagnose(whole).filter(({ what }) => !NOT_OF_HOSTS.includes(what));
}

const ABSENT = /No such file|not found|ENOENT/;
const INSTALL_IPERF = 'install it on both: sudo apt-get install --no-install-recommends iperf3';

/** @param {Member} server @param {Member} client @returns {Promise<Finding>} TCP throughput from client to server */
async function measureRate(server, client) {
  const address = server.host?.address ?? '';
  const [there, here] = [await server.agent.open('rate-server'), server === client ? undefined : await client.agent.open('rate-client')];
  try {
    const port = await server.agent.findFreePort(address);
    const serving = await there.start({ argv: ['iperf3', '-s', '-1', '--forceflush', '-B', address, '-p', String(port)], side: 'server', log: 'iperf3' });
    await there.ask('wait', { pid: serving.pid, word: 'Server', within_s: 5 });
    const session = here ?? there;
    const asking = await session.start({ argv: ['iperf3', '-c', address, '-p', String(port), '-t', String(RATE_S), '-J'], side: 'client', log: 'asking' });
    const { code } = await asking.exited;
    const said = await session.read('asking.out').catch(() => '');
    if (code === 0) return finding('ok', 'rate', `${(JSON.parse(said).end.sum_received.bits_per_second / 1e9).toFixed(2)} Gbit/s to ${server.host?.name}, one TCP connection for ${RATE_S} s`);
    if ([asking, serving].some((program) => ABSENT.test(program.describeEnd()))) return finding('warn', 'rate', 'unknown: iperf3 is absent', INSTALL_IPERF);
    const why = /"error":\s*"([^"]+)"/.exec(said)?.[1] ?? asking.describeEnd();
    return finding('warn', 'rate', `unknown: ${why}`, `iperf3 -c ${address} there`);
  } finally {
    for (const session of [there, here]) await session?.abort().then(() => session.close()).catch(() => {});
  }
}

/** @param {Error} error @returns {never} as there is no trial to fail */
function refuse(error) {
  throw error instanceof TrialError ? new UserError(`hosts: ${error.message}`) : error;
}

/** A goal of make for which ./wscale installs no more than Node and the packages of the harness. */
export const NEEDS_NODE = ['list'];
/** What is told of it: not the list. */
const TOLD = /: (installing|bringing|no metrics)/;

/** @param {string} path of hosts.toml @param {{json?: boolean}} options @returns {Promise<number>} exit code: 1 if a run is impossible */
export async function doctorHosts(path, { json }) {
  const fleet = await Fleet.connect(readHosts(path));
  try {
    const tell = json ? console.error : console.log;
    await fleet.prepare(() => NEEDS_NODE, (line) => { if (TOLD.test(line)) tell(line); });
    const places = fleet.members.flatMap(({ agent, host }) => (host ? [{ name: host.name, address: host.address, agent }] : []));
    const trips = await fleet.each(({ agent }) => readClock(agent), STARTS_AT_A_TIME);
    const before = await compareClocks(places).catch(refuse);
    const machines = await fleet.each(async ({ agent }) => {
      const ahead_ms = await agent.ask('wall') - Date.now();
      return { readings: await agent.ask('machine'), facts: await agent.ask('facts'), ahead_ms };
    }, STARTS_AT_A_TIME);
    /** @type {{client: Member, rate: Finding}[]} */
    const rates = [];
    for (const client of fleet.clients) { // one at a time
      rates.push({ client, rate: await measureRate(fleet.server, client).catch(refuse) });
    }
    const after = await compareClocks(places).catch(refuse);
    /** @type {import('./doctor-yardstick.js').Charged[]} */
    const charged = []; // one at a time too: hosts may share a kernel
    for (const { agent } of fleet.members) charged.push(await measureCharges(agent).catch(refuse));
    const all = fleet.members.map((member, index) => {
      const { name } = member.agent;
      const { name: host, role, address } = member.host ?? {};
      const [earlier, later] = [before.get(name), after.get(name)];
      const { readings, facts, ahead_ms } = machines[index];
      const checks = [
        ...diagnoseMachine(readings).filter(({ status }) => status !== 'ok'),
        diagnoseTrip(trips[index]),
        ...diagnoseClock(earlier && later && { host: name, before: earlier, after: later }),
        diagnoseWallClock(ahead_ms),
        diagnoseCongestion(facts.sysctl['net.ipv4.tcp_congestion_control']),
        ...rates.filter(({ client }) => client === member).map(({ rate }) => rate),
      ];
      if (!json) {
        console.log(`${host} (${role}, ${address}): ${facts.cores} x ${facts.cpu}, ${facts.kernel}`);
        console.log(`${formatLines(checks, isColoured()).map((line) => `  ${line}`).join('\n')}\n\n${tellCharges(charged[index], readings).replaceAll(/^/gm, '  ')}\n`);
      }
      return { host, role, address, checks, charges: charged[index].charges };
    });
    if (json) console.log(JSON.stringify(all, null, 2));
    const failed = fleet.members.filter((_, index) => all[index].checks.some(({ status }) => status === 'fail'));
    for (const { agent } of failed) console.error(`error: doctor: no run is possible on ${agent.name}; change what the table says`);
    return failed.length ? 1 : 0;
  } finally {
    await fleet.close();
  }
}
