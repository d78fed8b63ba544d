/** Faulty manifests, each with the errors that it must give. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { parse, stringify } from 'smol-toml';
import { UserError } from '../../harness/common/failure.js';
import { seededRandom } from '../../harness/common/random.js';

const SOURCE = readFileSync(join(import.meta.dirname, 'manifests/sound.toml'), 'utf8');
const experiments = mkdtempSync(join(tmpdir(), 'manifest-test-'));
after(() => rmSync(experiments, { recursive: true }));
process.env.WSCALE_EXPERIMENTS = experiments; // read when the module is loaded
const { findExperiment, makeSpec } = await import('../../harness/spec/spec.js');
const { ROOT } = await import('../../harness/common/places.js');

mkdirSync(join(experiments, '03-mangled'));
const path = join(experiments, '03-mangled', 'experiment.toml');
const where = relative(ROOT, path);

/** @param {string} text @param {any} [profile] @returns {string[]} all problems */
function findProblems(text, profile = 'quick') {
  writeFileSync(path, text);
  try {
    makeSpec('03-mangled', profile, 1);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.problems;
  }
}

/** @param {string} problem @returns {string} what follows the file's name */
const withoutFile = (problem) => problem.replace(`${where}: `, '').replace(where, '');

/** @param {string} text @param {[string | RegExp, string][]} edits @returns {string} */
function mangle(text, edits) {
  return edits.reduce((so_far, [from, to]) => {
    const changed = so_far.replace(from, to);
    assert.notEqual(changed, so_far, `${from} is not in the manifest`);
    return changed;
  }, text);
}

const OTHERS = 'use one of socketcluster-2014, socket.io-2014, engine.io-2014, ws-2014, socketcluster-14, socketcluster-20, socket.io, engine.io, ws';
const SEARCH = 'connections = 2, ramp_s = 1, probe_s = 1, resolution = 0.1, p99_ms_max = 50, generator_cpu_max = 0.9, measured_share = 0.8';
const METRICS = /metric "cpu" is not measured; \.\/wscale numbers lists those that are$/;

/**
 * The fault, the edits that plant it, and all errors that it must give.
 * @type {[string, [string | RegExp, string][], (string | RegExp)[]][]}
 */
const MANGLED = [
  ['an unknown key', [['late_ms = 10', 'late_ms = 10\nlate_s = 1']],
    ['load: unknown key "late_s"; known here: behaviour, generator, companion, per_client, record_connections, client_processes, client_threads, late_ms, drain_s, payload']],
  ['an unknown table', [['[load]', '[loads]\n[load]']], [/^unknown key "loads"; known here: title, source, .+/]],
  ['a key that is missing', [['late_ms = 10', '']], ['load: "late_ms" is missing; add it']],
  ['a table that is missing', [[/\[validity\][^]*?\n\n/, '']], ['"validity" is missing; add it']],
  ['a wrong type', [['client_processes = 2', 'client_processes = "two"']],
    ['load.client_processes: "two" is not a whole number, without quotes; give it one']],
  ['a fraction of a process', [['client_processes = 2', 'client_processes = 1.5']],
    ['load.client_processes: 1.5 is not a whole number, without quotes; give it one']],
  ['a warm-up of a workload that is no number', [['[workloads.listed]', '[workloads.listed]\nwarmup_s = "long"']],
    ['workloads.listed.warmup_s: "long" is not a number, without quotes or a table; give it one']],
  ['a warm-up of a workload that is too long', [['[workloads.listed]', '[workloads.listed]\nwarmup_s = 61']],
    ['workloads.listed.warmup_s: 61 must be <= 60; correct it']],
  ['a negative rate', [['connect_rate_hz = 120', 'connect_rate_hz = -120']],
    ['profiles.quick.connect_rate_hz: -120 must be > 0; correct it']],
  ['a negative rate of messages', [['kind = "constant", period_ms = 2500', 'kind = "poisson", rate_hz_per_connection = -0.4']],
    ['workloads.described.arrivals.rate_hz_per_connection: -0.4 must be > 0; correct it']],
  ['zero clients', [['client_processes = 2', 'client_processes = 0']], ['load.client_processes: 0 must be >= 1; correct it']],
  ['zero connections', [['connections = 120', 'connections = 0']], ['profiles.quick.connections: 0 must be >= 1; correct it']],
  ['no window at all', [['hold_s = 1\n', 'hold_s = 0\n']], ['profiles.quick.hold_s: 0 must be >= 1; correct it']],
  ['a share above the whole', [['late_share_max = 0.01', 'late_share_max = 1.01']], ['validity.late_share_max: 1.01 must be <= 1; correct it']],
  ['an arrival process that is not known', [['kind = "constant"', 'kind = "beats"']],
    ['workloads.described.arrivals.kind: "beats" is not known; use one of uniform-interval, constant, bursts, poisson, closed, scripted, updates, staircase']],
  ['an arrival process with another one\'s parameter', [['kind = "constant", period_ms', 'kind = "constant", max_ms']],
    ['workloads.described.arrivals: "period_ms" is missing; add it', 'workloads.described.arrivals: unknown key "max_ms"; known here: kind, period_ms']],
  ['updates without the server that makes them', [['kind = "constant", period_ms = 2500', 'kind = "updates", period_ms = 2500']],
    ['workloads.described.arrivals.kind: forked does not make "updates" (it makes uniform-interval, constant, poisson, closed, staircase); no generator makes both: "pingpong" and the kind "updates" do not go with each other']],
  ['an engine that is not known', [['  "ws",\n]', '  "wss",\n]']], [/^axes\.engine: servers\/wss\/engine\.toml: no such file; did you mean "ws"\? use one of .*engine\.io, .+/]],
  ['an engine twice', [['  "ws",\n]', '  "ws",\n  "ws",\n]']], [/^axes\.engine: \[.+ must NOT have duplicate items .+; correct it$/]],
  ['no engine', [[/engine = \[[^]*?\]/, 'engine = []']], ['axes.engine: [] must NOT have fewer than 1 items; correct it']],
  ['an engine that is a path', [['  "ws",\n]', '  "../ws",\n]']], [/^axes\.engine\.8: "\.\.\/ws" is not a name \(.+\); correct it$/]],
  ['a workload that is not known', [['workload = ["listed", "described"]', 'workload = ["listed", "burst"]']],
    ['axes.workload: "burst" has no [workloads.burst]; use one of listed, described']],
  ['a workload by a name that every object of JavaScript has', [['workload = ["listed", "described"]', 'workload = ["listed", "constructor"]']],
    ['axes.workload: "constructor" has no [workloads.constructor]; use one of listed, described']],
  ['a metric that is not measured', [['metric = "server_cpu_s_per_1k"', 'metric = "cpu"']], Array(1).fill(new RegExp(`^claims\\.0 \\(T4\\): ${METRICS.source}`))],
  ['a claim at a share of a saturation that the load may not reach', [['metric = "server_cpu_s_per_1k"', 'metric = "messages_per_cpu_s_at_80"'],
    ['[workloads.listed]', `[workloads.listed]\nsearch = { ${SEARCH} }`]],
  [/^workloads\.listed\.search: probes are made by one process of swarm; /,
    /^claims\.0 \(T4\): "messages_per_cpu_s_at_80" is at a share of a saturation that the load may not reach; use /]],
  ['a search with connections of its own, and no ramp', [['[workloads.listed]', `[workloads.listed]\nsearch = { ${SEARCH.replace('ramp_s = 1, ', '')} }`]],
    ['workloads.listed.search: "ramp_s" is missing, which "connections" needs; add it']],
  ['a claim of an id that cannot be', [['id = "T4"', 'id = "t4"']], ['claims.0.id: "t4" is not an id of a claim (A to Z, then digits, such as "T1", and a letter of a part, as in "T7a"); correct it']],
  ['a claim without a criterion', [['metric = "server_cpu_s_per_1k"\nabove = 1', 'metric = "server_cpu_s_per_1k"']],
    ['claims.0 (T4): needs one of "above", "below", "between", "reaches" and "holds", and no more; give one']],
  ['rows of a claim that are neither all nor any', [['metric = "server_cpu_s_per_1k"\nabove = 1', 'metric = "server_cpu_s_per_1k"\nrows = "most"\nabove = 1']],
    ['claims.0.rows: "most" is not known; use one of all, any']],
  ['two rules for the rows of one claim', [['id = "T5"\n', 'id = "T4"\nrows = "any"\n']],
    ['claims.1 (T4): rows = "any", but "all" where T4 stands first; a claim has one rule, give the same']],
  ['the wrong era', [['{ era = "2014", of = "socketcluster-2014", to = "socket.io-2014" }', '{ era = "today", of = "socketcluster-2014", to = "socket.io" }']],
    ['claims.0 (T4): "socketcluster-2014" is of era 2014, not today; correct the era']],
  ['an era that never was', [['era = "2014"', 'era = "2015"']], ['claims.0.compare.0.era: "2015" is not known; use one of 2014, today']],
  ['a claim on an engine that is not run', [['of = "socketcluster-20", to = "ws"'.replace('"ws"', '"socket.io"'), 'of = "socketcluster-20", to = "cowboy"']],
    ['claims.0 (T4): "cowboy" is not an engine of this experiment; add it to axes.engine']],
  ['a library of another dialect', [['[load]', '[libraries]\nws = "socket.io"\n\n[load]']],
    [/^libraries\.ws: "socket\.io" speaks .+, the engine websocket; use a library of that dialect, such as "ws"$/]],
  ['a library that is not known', [['[load]', '[libraries]\nws = "uws"\n\n[load]']], [/^axes\.engine: clients\/forked\/uws\/client\.toml: no such file; did you mean "ws"\? use one of .+/]],
  ['more processes than a role can have', [['worker = 1, store = 1', 'worker = 65, store = 1']], ['processes.socketcluster-2014.worker: 65 is impossible; use 1 to 64']],
  ['fewer processes than a role must have', [['balancer = 1,', 'balancer = 0,']], ['processes.socketcluster-2014.balancer: 0 is impossible; use 1 to 64']],
  ['a role that is not known', [['store = 1', 'broker = 1']], ['processes.socketcluster-2014: unknown role "broker"; use one of balancer, worker, store']],
  ['processes of an engine that is not run', [['[load]', '[processes.cowboy]\nworker = 1\n\n[load]']], [`processes.cowboy: not an engine of this experiment; ${OTHERS}`]],
  ['an option that is not known', [['[load]', '[options.socketcluster-2014]\nspeed = "high"\n\n[load]']],
    ['options.socketcluster-2014: unknown option "speed"; use one of scheduling, descriptors, balancing']],
  ['an option where there is none', [['[load]', '[options.ws-2014]\nspeed = "high"\n\n[load]']], ['options.ws-2014: unknown option "speed"; use one of none']],
  ['an option of a value that is not known', [['[load]', '[options.socketcluster-2014]\nbalancing = "best"\n\n[load]']],
    ['options.socketcluster-2014.balancing: "best" is not known; use one of random, hash, smart, uncorrected, loadbalancer']],
  ['binary messages for an engine that has none', [['drain_s = 1', 'drain_s = 1\npayload = { type = "binary", bytes = 8 }']],
    ['2014', '14', '20'].map((line) => `load.payload.type: socketcluster-${line} carries no "binary" messages; use "text"`)],
  ['what is not TOML', [['behaviour = "pingpong"', 'behaviour = pingpong']], [/^:\d+:\d+: not TOML: .+; see https:\/\/toml\.io/]],
  ['a key twice', [['late_ms = 10', 'late_ms = 10\nlate_ms = 10']], [/^:\d+:\d+: not TOML: .+; see https:\/\/toml\.io/]],
  ['several things at once', [['client_processes = 2', 'client_processes = 0'], ['late_ms = 10', 'late_ms = "10"'], ['drain_s = 1', 'drain = 1']],
    ['load: "drain_s" is missing; add it', 'load: unknown key "drain"; known here: behaviour, generator, companion, per_client, record_connections, client_processes, client_threads, late_ms, drain_s, payload',
      'load.client_processes: 0 must be >= 1; correct it', 'load.late_ms: "10" is not a number, without quotes; give it one']],
  ['what the schema shows and what only the whole shows, together',
    [['late_ms = 10', 'late_ms = -1'], ['  "ws",\n]', '  "wss",\n]'], ['id = "T4"', 'id = "T99"']],
    ['load.late_ms: -1 must be > 0; correct it', /^axes\.engine: servers\/wss\/engine\.toml: no such file; .+/,
      'claims.0 (T99): "T99" is not in experiments/claims.tsv, nor in a claims.tsv beside a manifest; use an id that is']],
  ['more client processes than connections', [['client_processes = 2', 'client_processes = 121']],
    ['load.client_processes: 121 are more than the 120 connections of profile quick; use fewer']],
  ['a search with clients that make no probes',
    [['max_ms = 5000 }', 'max_ms = 5000 }\nsearch = { connections = 16, ramp_s = 1, probe_s = 1, resolution = 0.1, p99_ms_max = 50, generator_cpu_max = 0.9, measured_share = 0.5 }']],
    ['workloads.listed.search: probes are made by one process of swarm; use load.generator = "swarm" and load.client_processes = 1']],
  ['a role alone on a core that the engine has not', [['[load]', '[[points]]\nengine = ["ws"]\nworkload = ["listed"]\ncores = ["alone-balancer"]\n\n[load]']],
    ['points.2.cores: ws: "alone-balancer" names no role of it; use one of alone-worker']],
  ['a sweep whose steps are over before they count', [['arrivals = { kind = "uniform-interval", max_ms = 5000 }',
    'arrivals = { kind = "staircase", step_s = 1, lead_s = 1, steps = [{ total_rate_hz = 0, batch = 4 }] }']],
    ['workloads.listed.arrivals.lead_s: 1 leaves nothing of a step of 1 s; make it shorter',
      'workloads.listed.arrivals.steps.0.batch: 4 messages can\'t fall due together at a rate of 0; leave it out']],
  ['a period of messages that have none', [['arrivals = { kind = "uniform-interval", max_ms = 5000 }', 'arrivals = { kind = "closed", outstanding = 1 }'],
    ['[load]', '[[points]]\nengine = ["ws"]\nworkload = ["listed"]\nperiod_ms = [1000]\n\n[load]']],
    ['points.period_ms: arrivals of kind "closed" (workload listed) have no period; use uniform-interval, constant, bursts, poisson, updates, or leave it out']],
  ['a message that its engine refuses', [['[load]', '[[points]]\nengine = ["engine.io"]\nworkload = ["listed"]\npayload_b = [1000000]\n\n[load]']],
    ['points: engine.io takes messages of 999999 B at most, not of 1000000; leave it out, or send less']],
  ['several addresses of clients that have one', [['[load]', '[[points]]\nengine = ["ws"]\nworkload = ["listed"]\nclient_addresses = [10]\n\n[load]']],
    ['points.client_addresses: forked does not take it; use load.generator = "swarm", without GENERATOR']],
  ['a link without a network', [['[load]', '[[points]]\nengine = ["ws"]\nworkload = ["listed"]\nrtt_us = [100]\n\n[load]']],
    ['points.rtt_us: loopback has no link of its own; add [network] with kind = "veth"']],
  ['a generator that is not known', [['[load]', '[[points]]\nengine = ["ws"]\nworkload = ["listed"]\ngenerator = ["swam"]\n\n[load]']],
    [/^points\.2\.generator: ws: "swam" is not a generator; use one of exchange, .+/]],
  ['a ramp of months', [['connect_rate_hz = 120', 'connect_rate_hz = 0.00001']],
    ['profiles.quick.connect_rate_hz: 0.00001 takes 12000000 s to open 120 connections; raise it']],
  ['several things at once that only the whole shows',
    [['  "ws",\n]', '  "wss",\n]'], ['worker = 1, store = 1', 'worker = 65, store = 1'], ['"listed", "described"', '"listed", "burst"'], ['above = 1', 'above = 1\nbelow = 2']],
    ['processes.socketcluster-2014.worker: 65 is impossible; use 1 to 64', /^axes\.engine: servers\/wss\/engine\.toml: no such file; .+/,
      'axes.workload: "burst" has no [workloads.burst]; use one of listed, described', 'claims.0 (T4): needs one of "above", "below", "between", "reaches" and "holds", and no more; give one']],
];

/** The form of an error: place, fault with the value, next step. */
const FORM = /^[^;\n]+: [^\n]+; [^\n]+$/;

test('the manifest of experiment 3 is sound in every profile', () => {
  for (const profile of ['quick', 'default', 'paper']) assert.deepEqual(findProblems(SOURCE, profile), []);
});

for (const [what, edits, expected] of MANGLED) {
  test(`${what} is told`, () => {
    const problems = findProblems(mangle(SOURCE, edits)).map(withoutFile);
    assert.equal(problems.length, expected.length, problems.join('\n'));
    problems.forEach((problem, index) => {
      const wanted = expected[index];
      if (typeof wanted === 'string') assert.equal(problem, wanted);
      else assert.match(problem, wanted);
    });
  });
}

test('a folder where the manifest should be is told', () => {
  rmSync(path);
  mkdirSync(path);
  assert.throws(() => makeSpec('03-mangled', 'quick', 1), /experiment\.toml: EISDIR: .+; make it a file that you may read$/);
  rmSync(path, { recursive: true });
});

test('an error of syntax is told with its line and its column', () => {
  const line = SOURCE.slice(0, SOURCE.indexOf('late_ms')).split('\n').length;
  const [problem] = findProblems(mangle(SOURCE, [['late_ms = 10', 'late_ms = 10 20']]));
  assert.match(withoutFile(problem), new RegExp(`^:${line}:1[34]: not TOML: `));
});

test('more descriptors than the limit allows are told, for every process that lacks them', () => {
  writeFileSync(path, SOURCE);
  const command = [process.execPath, 'harness/main.js', 'run', '3', '--profile', 'paper'];
  const limited = spawnSync('sh', ['-c', 'ulimit -n 1024 && exec "$0" "$@"', ...command], { cwd: ROOT, encoding: 'utf8' });
  const own = (/** @type {number} */ needed) => `2400 connections over 1 process(es) need ${needed} descriptors each, the limit is 1024; raise it with \`ulimit -n\` or use more processes`;
  const workers = /** @type {any} */ (parse(SOURCE)).axes.engine.map((/** @type {string} */ engine) => `processes.${engine}.worker: ${own(2500)}`);
  assert.deepEqual(limited.stderr.trim().split('\n').sort(), [
    'load.client_processes: 2400 connections over 2 process(es) need 1300 descriptors each, the limit is 1024; raise it with `ulimit -n` or use more processes',
    `processes.socketcluster-2014.balancer: ${own(4900)}`, ...workers,
  ].map((problem) => `error: ${where}: ${problem}`).sort());
  assert.deepEqual({ status: limited.status, stdout: limited.stdout }, { status: 2, stdout: '' });
});

test('a profile that is not known is told, whatever its name', () => {
  for (const profile of ['fast', '', 'constructor', '__proto__']) {
    assert.deepEqual(findProblems(SOURCE, profile), [`PROFILE: "${profile}" is not a profile; use one of paper, default, quick`]);
  }
});

test('an experiment is found by its number or its name, and otherwise told', () => {
  for (const wanted of ['3', '03', '03-mangled']) assert.equal(findExperiment(wanted), '03-mangled');
  for (const wanted of ['4', '', '03-m', 'mangled', '../03-mangled', ' 3', '0x3', '3e0']) assert.throws(() => findExperiment(wanted), UserError);
});

test('a number that two experiments share finds neither', () => {
  mkdirSync(join(experiments, '03-again'));
  writeFileSync(join(experiments, '03-again', 'experiment.toml'), SOURCE);
  assert.throws(() => findExperiment('3'), /experiments: 03-again and 03-mangled have the number 3; rename one of them, or give its whole name/);
  assert.equal(findExperiment('03-mangled'), '03-mangled');
  rmSync(join(experiments, '03-again'), { recursive: true });
});

const VALUES = [
  0, -1, 1, 1.5, 1e300, NaN, Infinity, -Infinity, 2 ** 31, '', ' ', 'x', 'ws', 'a\nb', 'é', '../..', 'constructor', '__proto__', true, false,
  [], {}, [[]], ['ws'], [1], { x: 1 }, { kind: 'poisson' }, new Date(0), 'x'.repeat(1000),
];

/** @param {any} value @param {any[]} found @returns {any[]} every table and list in it */
function listHolders(value, found = []) {
  if (value === null || typeof value !== 'object' || value instanceof Date) return found;
  found.push(value);
  Object.values(value).forEach((each) => listHolders(each, found));
  return found;
}

/** Makes one random change to a manifest. @param {any} manifest @param {() => number} random */
function mangleOnce(manifest, random) {
  const pick = (/** @type {any[]} */ list) => list[Math.floor(random() * list.length)];
  const holder = pick(listHolders(manifest));
  const key = pick(Object.keys(holder));
  const value = structuredClone(pick(VALUES));
  const change = pick(['replace', 'replace', 'delete', 'add', 'retype', 'move']);
  if (change === 'add' || key === undefined) Array.isArray(holder) ? holder.push(value) : holder[pick(['extra', 'constructor', 'toString', 'ws', 'x y'])] = value;
  else if (change === 'replace') holder[key] = value;
  else if (change === 'delete') Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key];
  else if (change === 'retype') holder[key] = typeof holder[key] === 'number' ? String(holder[key]) : [holder[key]];
  else holder[key] = structuredClone(pick(listHolders(manifest)));
}

test('however a manifest is changed, it is accepted, or each error has place, fault and next step', () => {
  const random = seededRandom(20140831);
  let accepted = 0;
  for (let round = 0; round < 400; round++) {
    const manifest = parse(SOURCE);
    for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) mangleOnce(manifest, random);
    const text = toToml(manifest);
    if (text === undefined) continue;
    let problems;
    try {
      problems = findProblems(text);
    } catch (error) {
      assert.fail(`round ${round}: ${/** @type {Error} */ (error).stack}\n${text}`);
    }
    if (problems.length === 0) accepted++;
    for (const problem of problems) assert.match(problem, FORM, text);
  }
  assert.ok(accepted > 4 && accepted < 300, `${accepted} of 400 were accepted: the mangling is too weak or too strong`);
});

/** @param {any} manifest @returns {string | undefined} undefined if TOML cannot hold it */
function toToml(manifest) {
  try {
    return stringify(manifest);
  } catch {
    return undefined;
  }
}

test('whichever bytes of a manifest are changed, each error has place, fault and next step', () => {
  const random = seededRandom(1014);
  for (let round = 0; round < 200; round++) {
    const at = Math.floor(random() * SOURCE.length);
    const length = Math.floor(random() * 20);
    const text = SOURCE.slice(0, at) + ['', '"', '[', ']', '=', '\n', '#', '-', '9', '\0', 'é'][Math.floor(random() * 11)] + SOURCE.slice(at + length);
    for (const problem of findProblems(text)) assert.match(problem, FORM, text);
  }
});
