/** Checks of a whole manifest: names that must be known, numbers that must fit each other. Problems are added to a list, not thrown. */
import { readClaims } from '../common/claim-tables.js';
import { ARRIVALS } from './arrivals.js';
import { askedOf } from './behaviours.js';
import { listAble, listGenerators, readGenerator } from './generators.js';
import { findMetric } from './metrics.js';
import { entriesOf } from './own-settings.js';
import { listNeededGenerators, listPoints, resolveConditions, settingsOf } from './points.js';
import { listReferenceSpecs } from './reference.js';
import { PLAIN, parseSetting } from '../common/setting.js';
import { staircaseOf } from './sweep.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./engines.js').Engine} Engine */

/** @param {Spec} spec @param {string} generator @param {string[]} problems */
export function checkDialects({ engines }, generator, problems) {
  const { dialects } = readGenerator(generator);
  for (const [name, { dialect, library }] of Object.entries(engines)) {
    if (dialects?.includes(dialect) || (!dialects && library)) continue; // a generator without dialects takes each engine's library
    if (!dialects) problems.push(`axes.engine: no client library speaks ${dialect}, as ${name} does; name the generator that does in load.generator`);
    else problems.push(`axes.engine: ${name} speaks ${dialect}, ${generator} does not (it speaks ${dialects.join(', ')}); run without GENERATOR=${generator}`);
  }
}

/** Looks must ascend; the first is after the profile's own blocks. @param {Spec} spec @param {string[]} problems */
export function checkPrecision({ precision, phases, profile }, problems) {
  const looks = precision?.looks ?? [];
  if (looks.some((blocks, index) => index > 0 && blocks <= looks[index - 1])) problems.push(`precision.looks: ${looks.join(', ')} do not ascend; put them in order`);
  if (looks[0] !== phases.repeats) {
    problems.push(`precision.looks: the first is after ${looks[0]} blocks, and profiles.${profile}.repeats is ${phases.repeats}; make them the same`);
  }
}

const RAMP_S_MAX = 86400; // a day: a longer ramp must be a typo

/** @param {Spec} spec @param {string[]} problems */
export function checkLoad({ load, phases, profile }, problems) {
  if (load.behaviour === 'echo' && !load.payload) problems.push('load.payload: is missing, and "echo" needs one; add payload = { type = "text", bytes = 20 }');
  if (load.client_processes > phases.connections) {
    problems.push(`load.client_processes: ${load.client_processes} are more than the ${phases.connections} connections of profile ${profile}; use fewer`);
  }
  if (phases.ramp_s > RAMP_S_MAX) {
    problems.push(`profiles.${profile}.connect_rate_hz: ${phases.connect_rate_hz} takes ${phases.ramp_s} s to open ${phases.connections} connections; raise it`);
  }
}

/** Tables may name only engines and workloads of the axes. @param {any} manifest @param {string[]} problems */
export function checkNames({ axes, workloads, processes = {}, options = {}, libraries = {}, beside = [] }, problems) {
  const strangers = [...new Set(beside.flat())].filter((name) => !axes.engine.includes(name));
  for (const name of strangers) problems.push(`beside: "${name}" is not an engine of this experiment; use one of ${axes.engine.join(', ')}`);
  for (const name of axes.workload) if (!workloads[name]) problems.push(`axes.workload: "${name}" has no [workloads.${name}]; use one of ${Object.keys(workloads).join(', ')}`);
  const warmups = Object.entries(workloads).map(([name, { warmup_s = {} }]) => [`workloads.${name}.warmup_s`, warmup_s]);
  for (const [table, value] of [...Object.entries({ processes, options, libraries }), ...warmups]) {
    for (const name of Object.keys(value)) {
      if (!axes.engine.includes(name)) problems.push(`${table}.${name}: not an engine of this experiment; use one of ${axes.engine.join(', ')}`);
    }
  }
}

/** @param {Spec} spec @param {Record<string, Engine>} read @param {string[]} problems @returns {boolean} whether its points can be run */
export function checkPoints(spec, read, problems) {
  const { axes, points = [], workloads } = spec;
  const before = problems.length;
  const entries = entriesOf(spec.settings);
  points.forEach((group, index) => {
    for (const axis of /** @type {const} */ (['engine', 'workload'])) {
      for (const name of group[axis] ?? []) {
        if (!axes[axis].includes(name)) problems.push(`points.${index}.${axis}: "${name}" is not in axes.${axis}; add it there, or use one of ${axes[axis].join(', ')}`);
      }
    }
    for (const engine of (group.engine ?? axes.engine).filter((name) => read[name])) {
      for (const key of settingsOf(group)) checkSetting(`points.${index}.${key}`, entries[key], group[key], read[engine], problems);
    }
  });
  if (axes.workload.some((name) => !workloads[name])) return false; // reported elsewhere
  if (problems.length > before || Object.keys(read).length < axes.engine.length) return false;
  return !findTwice(spec, problems);
}

/** Two groups with the same point would give two trials one name. @param {Spec} spec @param {string[]} problems */
function findTwice(spec, problems) {
  const names = listPoints(spec).map(({ engine, workload, setting }) => `${engine}, ${workload}, ${setting}`);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
  for (const name of twice) problems.push(`points: two groups hold the point ${name}; leave it out of one of them`);
  return twice.length > 0;
}

/**
 * @param {string} where @param {import('./settings.js').Setting | undefined} entry of the setting; options of engines may lack one
 * @param {any[]} values @param {Engine} engine @param {string[]} problems
 */
function checkSetting(where, entry, values, engine, problems) {
  const generators = entry?.fits ? listGenerators() : [];
  const wrong = values.map((value) => entry?.fits?.(value, engine, generators)).find(Boolean);
  if (wrong) problems.push(`${where}: ${engine.name}: ${wrong}`);
  if (entry?.schema) return;
  const key = where.split('.').pop() ?? '';
  const known = engine.options?.[key]?.values;
  if (!known) problems.push(`${where}: ${engine.name} has no option "${key}"; leave the engine out of this group`);
  for (const value of known ? values : []) if (!known?.includes(value)) problems.push(`${where}: ${engine.name}: "${value}" is not known; use one of ${known?.join(', ')}`);
}

const AT_SHARE = /_at_\d+$/; // suffix of metrics measured at a share of saturation

/** @param {Spec} spec @param {string[]} problems */
export function checkClaims({ claims, engines, axes, workloads = {} }, problems) {
  const isBounded = Object.values(workloads).some(({ search }) => search !== undefined);
  const known = readClaims().map((row) => row.claim);
  claims.forEach((claim, index) => {
    const where = `claims.${index} (${claim.id})`;
    if (!known.includes(claim.id)) problems.push(`${where}: "${claim.id}" is not in experiments/claims.tsv, nor in a claims.tsv beside a manifest; use an id that is`);
    // a claim without comparisons is judged by the experiment's own tables.js; only its `rows` are checked here
    const criteria = [claim.above, claim.below, claim.between, claim.reaches, claim.holds].filter((bound) => bound !== undefined);
    if (claim.compare.length && criteria.length !== 1) {
      problems.push(`${where}: needs one of "above", "below", "between", "reaches" and "holds", and no more; give one`);
    }
    const { rows = 'all' } = claims.find(({ id }) => id === claim.id) ?? claim;
    if ((claim.rows ?? 'all') !== rows) problems.push(`${where}: rows = "${claim.rows ?? 'all'}", but "${rows}" where ${claim.id} stands first; a claim has one rule, give the same`);
    for (const { era, of, to, metric = claim.metric, to_metric = metric } of claim.compare) {
      for (const name of new Set([metric, to_metric])) {
        if (!name) problems.push(`${where}: has no metric; give one of those that ./wscale numbers lists`);
        else if (!findMetric(name)) problems.push(`${where}: metric "${name}" is not measured; ./wscale numbers lists those that are`);
        else if (isBounded && AT_SHARE.test(name)) problems.push(`${where}: "${name}" is at a share of a saturation that the load may not reach; use messages_per_cpu_s_at_load_80`);
      }
      const isBase = to !== undefined && engines[to]?.dialect === 'tcp'; // bytes over TCP are the baseline for engines of both eras
      for (const name of [of, to].filter((engine) => engine !== undefined)) {
        if (!axes.engine.includes(name)) problems.push(`${where}: "${name}" is not an engine of this experiment; add it to axes.engine`);
        else if (engines[name] && engines[name].era !== era && !(isBase && name === to)) problems.push(`${where}: "${name}" is of era ${engines[name].era}, not ${era}; correct the era`);
      }
    }
  });
}

/** Comparisons must be of points of some profile. @param {Spec} spec @param {string[]} problems */
export function checkCompared(spec, problems) {
  const points = listPoints(ofAllProfiles(spec));
  spec.claims.forEach(({ id, compare }, index) => {
    for (const { of, to, at = PLAIN, to_at = at } of compare) {
      for (const [name, setting] of [[of, at], [to, to_at]]) {
        const own = [...new Set(points.filter(({ engine }) => engine === name).map((point) => point.setting))];
        if (own.length === 0 || own.includes(String(setting))) continue;
        problems.push(`claims.${index} (${id}): ${name} has no point at the setting "${setting}"; use one of ${own.join('; ')}`);
      }
    }
  });
}

/** @param {Spec} spec @returns {Omit<Spec, 'profile'>} with the points of all profiles */
const ofAllProfiles = ({ profile: _, ...spec }) => spec;

/** @param {string[]} names @returns {string} such as `load.generator = "a" or "b"` */
const useOneOf = (names) => `load.generator = ${names.map((name) => `"${name}"`).join(' or ')}`;

/**
 * Checks each point's generator, engine, arrivals and network. Duplicate problems are reported once (makeSpec).
 * @param {Spec} spec @param {Record<string, Engine>} read @param {string[]} problems
 */
export function checkEachPoint(spec, read, problems) {
  const entries = entriesOf(spec.settings);
  for (const point of listPoints(ofAllProfiles(spec))) {
    const given = parseSetting(point.setting);
    const conditions = resolveConditions(spec, point);
    checkMade(point.workload, conditions, problems);
    checkSizes(read[point.engine], spec.workloads[point.workload].sizes_b ?? [conditions.payload.bytes], problems);
    checkPeriod(point.workload, spec.workloads[point.workload].arrivals.kind, given, problems);
    for (const key of Object.keys(given).filter((each) => entries[each]?.schema)) {
      checkTaken(key, Object.keys(entries[key].client?.(given[key], 0) ?? {}), conditions.generator, problems);
      if (entries[key].network === 'loopback' && spec.network) problems.push(`points.${key}: a client in a namespace has one address; leave [network] out`);
      if (entries[key].network === 'veth' && !spec.network) problems.push(`points.${key}: loopback has no link of its own; add [network] with kind = "veth"`);
    }
  }
}

/** @param {string} workload @param {import('./points.js').Conditions} conditions @param {string[]} problems */
function checkMade(workload, { generator, behaviour, arrivals: { kind } }, problems) {
  const { behaviours, arrivals } = readGenerator(generator);
  const asked = askedOf(behaviour);
  const able = listAble((one) => one.behaviours.includes(asked) && one.arrivals.includes(kind));
  const next = able.length ? `use ${useOneOf(able)}` : `no generator makes both: "${behaviour}" and the kind "${kind}" do not go with each other`;
  if (!behaviours.includes(asked)) problems.push(`load.behaviour: ${generator} does not make "${behaviour}" (it makes ${behaviours.join(', ')}); ${next}`);
  if (!arrivals.includes(kind)) problems.push(`workloads.${workload}.arrivals.kind: ${generator} does not make "${kind}" (it makes ${arrivals.join(', ')}); ${next}`);
}

/** Messages refused by the engine would count as lost. @param {Engine} engine @param {number[]} sizes @param {string[]} problems */
function checkSizes({ name, max_message_b: most = Infinity }, sizes, problems) {
  for (const bytes of sizes.filter((size) => size > most)) problems.push(`points: ${name} takes messages of ${most} B at most, not of ${bytes}; leave it out, or send less`);
}

/** @param {string} workload @param {string} kind of its arrivals @param {Record<string, string>} given @param {string[]} problems */
function checkPeriod(workload, kind, given, problems) {
  if ('messages' in given && !('messages' in ARRIVALS[kind].properties)) {
    problems.push(`points.messages: arrivals of kind "${kind}" (workload ${workload}) have no bursts; use bursts, or leave it out`);
  }
  if (!('period_ms' in given) || ARRIVALS[kind].atPeriod) return;
  const others = Object.keys(ARRIVALS).filter((name) => ARRIVALS[name].atPeriod);
  problems.push(`points.period_ms: arrivals of kind "${kind}" (workload ${workload}) have no period; use ${others.join(', ')}, or leave it out`);
}

/** @param {string} setting @param {string[]} keys it sets for clients @param {string} generator @param {string[]} problems */
function checkTaken(setting, keys, generator, problems) {
  const takesAll = (/** @type {import('./generators.js').Generator} */ { takes = [] }) => keys.every((each) => takes.includes(each));
  if (!takesAll(readGenerator(generator))) problems.push(`points.${setting}: ${generator} does not take it; use ${useOneOf(listAble(takesAll))}, without GENERATOR`);
}

/** Probes need one process of a generator that supports them. @param {Spec} spec @param {string[]} problems */
export function checkSearches(spec, problems) {
  const wrong = listPoints(spec).filter((point) => {
    const { search, generator, client_processes } = resolveConditions(spec, point);
    return search && !(readGenerator(generator).probes && client_processes === 1);
  });
  for (const [name, { search, arrivals }] of Object.entries(spec.workloads)) {
    if (!search || search.measured_share !== undefined || staircaseOf(arrivals)) continue;
    problems.push(`workloads.${name}.search: "measured_share" is missing; add it, or measure a sweep (arrivals.kind = "staircase")`);
  }
  const able = listAble(({ probes }) => probes);
  for (const workload of new Set(wrong.map((point) => point.workload))) {
    problems.push(`workloads.${workload}.search: probes are made by one process of ${able.join(' or ')}; use ${useOneOf(able)} and load.client_processes = 1`);
  }
}

/** Rounds need one connection of a generator that supports them. @param {Spec} spec @param {string[]} problems */
export function checkRounds(spec, problems) {
  const goesInRounds = (/** @type {string} */ generator) => readGenerator(generator).rounds;
  const able = listAble(({ rounds }) => rounds);
  for (const workload of spec.axes.workload) {
    const points = listPoints(spec).filter((one) => one.workload === workload).map((point) => resolveConditions(spec, point));
    const { sizes_b } = spec.workloads[workload];
    if (!sizes_b && !points.some(({ generator }) => goesInRounds(generator))) continue;
    const fits = points.every(({ generator, connections, client_processes }) =>
      goesInRounds(generator) && connections === 1 && client_processes === 1);
    if (fits && sizes_b) continue;
    problems.push(`workloads.${workload}.sizes_b: rounds are made by ${able.join(' or ')}, on one connection of one process, and need sizes_b; use ${useOneOf(able)}, load.client_processes = 1 and connections = 1, without GENERATOR`);
  }
}

/** @param {Spec} spec @param {string[]} problems */
export function checkSweeps(spec, problems) {
  for (const name of spec.axes.workload) {
    const staircase = staircaseOf(spec.workloads[name].arrivals);
    if (!staircase) continue;
    const where = `workloads.${name}.arrivals`;
    if (staircase.lead_s >= staircase.step_s) problems.push(`${where}.lead_s: ${staircase.lead_s} leaves nothing of a step of ${staircase.step_s} s; make it shorter`);
    staircase.steps.forEach(({ total_rate_hz, share, batch }, index) => {
      if ((total_rate_hz === undefined) === (share === undefined)) problems.push(`${where}.steps.${index}: has ${share === undefined ? 'neither' : 'both'} a total_rate_hz and a share of saturation; give one of them`);
      if (share !== undefined && !spec.workloads[name].search) problems.push(`${where}.steps.${index}.share: ${share} is of a saturation that no search finds; add search to the workload, or give a total_rate_hz`);
      if (batch && total_rate_hz === 0) problems.push(`${where}.steps.${index}.batch: ${batch} messages can't fall due together at a rate of 0; leave it out`);
    });
  }
}

/** @param {Spec} spec @param {Record<string, Engine>} read @param {string[]} problems */
export function checkReference(spec, read, problems) {
  for (const alone of listReferenceSpecs(spec)) {
    /** @type {string[]} */
    const found = [];
    const { engine: [engine], workload } = alone.axes;
    for (const name of workload.filter((each) => !spec.workloads[each])) found.push(`workload: "${name}" has no [workloads.${name}]; use one of ${Object.keys(spec.workloads).join(', ')}`);
    if (checkPoints(alone, read, found)) {
      const engines = { [engine]: spec.engines[engine] };
      for (const name of listNeededGenerators(alone)) checkDialects({ ...alone, engines }, name, found);
      checkEachPoint(alone, read, found);
      checkSweeps(alone, found);
    }
    problems.push(...found.map((problem) => `reference: ${problem}`));
  }
}
