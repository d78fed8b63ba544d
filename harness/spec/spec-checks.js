/** What only the whole of a manifest shows: names that must be known, numbers that must fit each other. Problems are added, not thrown. */
import { ALONE } from '../common/words.js';
import { readTsv } from '../common/files.js';
import { DEFAULT_GENERATOR, checkGenerator, readGenerator } from './generators.js';
import { METRICS, isMetric } from './metrics.js';
import { CLAIMS } from '../common/places.js';
import { SETTINGS, isNative, listPoints, resolveConditions, settingsOf } from './points.js';
import { PLAIN } from './setting.js';
import { staircaseOf } from './sweep.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./engines.js').Engine} Engine */

/** @param {Spec} spec @param {string} generator @param {string[]} problems */
export function checkDialects({ engines }, generator, problems) {
  const { dialects } = readGenerator(generator);
  for (const [name, { dialect, library }] of Object.entries(engines)) {
    if (!dialects && library) continue; // it takes each engine's own library
    if (!dialects) problems.push(`axes.engine: no client library speaks ${dialect}, as ${name} does; name the generator that does in load.generator`);
    if (!dialects) continue;
    if (dialects.includes(dialect)) continue;
    problems.push(`axes.engine: ${name} speaks ${dialect}, ${generator} does not (it speaks ${dialects.join(', ')}); run without GENERATOR=${generator}`);
  }
}

/** Looks come one after the other, the first after the profile's own blocks. @param {Spec} spec @param {string[]} problems */
export function checkPrecision({ precision, phases, profile }, problems) {
  const looks = precision?.looks ?? [];
  if (looks.some((blocks, index) => index > 0 && blocks <= looks[index - 1])) {
    problems.push(`precision.looks: ${looks.join(', ')} do not ascend; put them in order`);
  }
  if (looks[0] !== phases.repeats) {
    problems.push(`precision.looks: the first is after ${looks[0]} blocks, and profiles.${profile}.repeats is ${phases.repeats}; make them the same`);
  }
}

/** A day: longer ones are slips of the pen. */
const RAMP_S_MAX = 86400;

/** @param {Spec} spec @param {string[]} problems */
export function checkLoad({ load, phases, profile }, problems) {
  if (load.behaviour === 'echo' && !load.payload) {
    problems.push('load.payload: is missing, and "echo" needs one; add payload = { type = "text", bytes = 20 }');
  }
  if (load.client_processes > phases.connections) {
    problems.push(`load.client_processes: ${load.client_processes} are more than the ${phases.connections} connections of profile ${profile}; use fewer`);
  }
  if (phases.ramp_s > RAMP_S_MAX) {
    problems.push(`profiles.${profile}.connect_rate_hz: ${phases.connect_rate_hz} takes ${phases.ramp_s} s to open ${phases.connections} connections; raise it`);
  }
}

/** A server that makes updates has no other load, and no other server takes this one. @param {Spec} spec @param {string[]} problems */
export function checkUpdates({ load, axes, workloads }, problems) {
  if ((load.behaviour === 'updates') !== (load.generator === 'updates')) {
    problems.push(`load.generator: "${load.generator ?? DEFAULT_GENERATOR}" does not go with load.behaviour "${load.behaviour}"; the behaviour and the generator "updates" go with each other alone`);
  }
  for (const name of axes.workload.filter((each) => workloads[each])) {
    if ((workloads[name].arrivals.kind === 'updates') === (load.behaviour === 'updates')) continue;
    problems.push(`workloads.${name}.arrivals.kind: "${workloads[name].arrivals.kind}" does not go with load.behaviour "${load.behaviour}"; the behaviour and the kind "updates" go with each other alone`);
  }
}

/** Tables keyed by engine or workload name what the axes name. @param {any} manifest @param {string[]} problems */
export function checkNames({ axes, workloads, processes = {}, options = {}, libraries = {} }, problems) {
  for (const name of axes.workload) {
    if (!workloads[name]) problems.push(`axes.workload: "${name}" has no [workloads.${name}]; use one of ${Object.keys(workloads).join(', ')}`);
  }
  const warmups = Object.entries(workloads).map(([name, { warmup_s = {} }]) => [`workloads.${name}.warmup_s`, warmup_s]);
  for (const [table, value] of [...Object.entries({ processes, options, libraries }), ...warmups]) {
    for (const name of Object.keys(value)) {
      if (!axes.engine.includes(name)) problems.push(`${table}.${name}: not an engine of this experiment; use one of ${axes.engine.join(', ')}`);
    }
  }
}

/** Settings that not every engine knows. @type {Record<string, (values: any[], engine: Engine) => string | undefined>} */
const FITS = {
  processes: (values, { roles }) => {
    const limits = Object.entries(roles);
    const bad = values.find((mix) => !fitsRoles(mix.split('+').map(Number), limits.map(([, role]) => role)));
    return bad && `"${bad}" is no mix of its roles; use ${limits.map(([role, { min, max }]) => `${role} ${min} to ${max}`).join(' + ')}`;
  },
  cores: (values, { roles }) => {
    const bad = values.find((placement) => placement.startsWith(ALONE) && !(placement.slice(ALONE.length) in roles));
    return bad && `"${bad}" names no role of it; use one of ${Object.keys(roles).map((role) => `${ALONE}${role}`).join(', ')}`;
  },
  behaviour: (values, { behaviours }) => {
    const bad = values.find((name) => !behaviours.includes(name));
    return bad && `it has no "${bad}"; use one of ${behaviours.join(', ')}`;
  },
};

/** @param {number[]} counts @param {import('./engines.js').Role[]} roles */
const fitsRoles = (counts, roles) =>
  counts.length === roles.length && roles.every(({ min, max }, index) => counts[index] >= min && counts[index] <= max);

/**
 * Groups name engines and workloads of the axes, and settings that their engines know.
 * @param {Spec} spec @param {Record<string, Engine>} read @param {string[]} problems
 * @returns {boolean} can the points be listed and run?
 */
export function checkPoints(spec, read, problems) {
  const { axes, points = [], workloads } = spec;
  const before = problems.length;
  points.forEach((group, index) => {
    for (const axis of /** @type {const} */ (['engine', 'workload'])) {
      for (const name of group[axis] ?? []) {
        if (!axes[axis].includes(name)) problems.push(`points.${index}.${axis}: "${name}" is not in axes.${axis}; add it there, or use one of ${axes[axis].join(', ')}`);
      }
    }
    for (const engine of (group.engine ?? axes.engine).filter((name) => read[name])) {
      for (const key of settingsOf(group)) checkSetting(`points.${index}.${key}`, key, group[key], read[engine], problems);
    }
  });
  if (axes.workload.some((name) => !workloads[name])) return false; // said elsewhere
  if (problems.length > before || Object.keys(read).length < axes.engine.length) return false;
  return !findTwice(spec, problems);
}

/**
 * Two groups that come to the same point would make two trials of one name.
 * @param {Spec} spec @param {string[]} problems @returns {boolean}
 */
function findTwice(spec, problems) {
  const names = listPoints(spec).map(({ engine, workload, setting }) => `${engine}, ${workload}, ${setting}`);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
  for (const name of twice) problems.push(`points: two groups hold the point ${name}; leave it out of one of them`);
  return twice.length > 0;
}

/** @param {string} where @param {string} key @param {any[]} values @param {Engine} engine @param {string[]} problems */
function checkSetting(where, key, values, engine, problems) {
  const wrong = FITS[key]?.(values, engine);
  if (wrong) problems.push(`${where}: ${engine.name}: ${wrong}`);
  if (key === 'generator') values.forEach((name) => checkGenerator(name));
  if (SETTINGS.includes(key)) return;
  const known = engine.options?.[key]?.values;
  if (!known) problems.push(`${where}: ${engine.name} has no option "${key}"; leave the engine out of this group`);
  for (const value of known ? values : []) {
    if (!known?.includes(value)) problems.push(`${where}: ${engine.name}: "${value}" is not known; use one of ${known?.join(', ')}`);
  }
}

/** @param {Spec} spec @param {string[]} problems */
export function checkClaims({ claims, engines, axes }, problems) {
  const known = readTsv(CLAIMS).map((row) => row.claim);
  claims.forEach((claim, index) => {
    const where = `claims.${index} (${claim.id})`;
    if (!known.includes(claim.id)) problems.push(`${where}: "${claim.id}" is not in experiments/claims.tsv; use an id that is`);
    // without a comparison it is judged by the experiment's own reduce.sh, and says here how its rows are taken together
    const criteria = [claim.above, claim.below, claim.between, claim.reaches].filter((bound) => bound !== undefined);
    if (claim.compare.length && criteria.length !== 1) {
      problems.push(`${where}: needs one of "above", "below", "between" and "reaches", and no more; give one`);
    }
    const { rows = 'all' } = claims.find(({ id }) => id === claim.id) ?? claim;
    if ((claim.rows ?? 'all') !== rows) problems.push(`${where}: rows = "${claim.rows ?? 'all'}", but "${rows}" where ${claim.id} stands first; a claim has one rule, give the same`);
    for (const { era, of, to, metric = claim.metric, to_metric = metric } of claim.compare) {
      for (const name of new Set([metric, to_metric])) {
        if (!name || !isMetric(name)) problems.push(`${where}: metric "${name}" is not measured; use one of ${METRICS.join(', ')}`);
      }
      const isBase = to !== undefined && engines[to]?.dialect === 'tcp'; // bytes over TCP are held against engines of either era
      for (const name of [of, to].filter((engine) => engine !== undefined)) {
        if (!axes.engine.includes(name)) problems.push(`${where}: "${name}" is not an engine of this experiment; add it to axes.engine`);
        else if (engines[name] && engines[name].era !== era && !(isBase && name === to)) problems.push(`${where}: "${name}" is of era ${engines[name].era}, not ${era}; correct the era`);
      }
    }
  });
}

/** What is compared must be a point of some profile. @param {Spec} spec @param {string[]} problems */
export function checkCompared(spec, problems) {
  const points = listPoints({ ...spec, profile: undefined });
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

/** Probes are made by one process of the native generator. @param {Spec} spec @param {string[]} problems */
export function checkSearches(spec, problems) {
  const wrong = listPoints(spec).filter((point) => {
    const { search, generator, client_processes } = resolveConditions(spec, point);
    return search && !(isNative(generator) && client_processes === 1);
  });
  for (const workload of new Set(wrong.map((point) => point.workload))) {
    problems.push(`workloads.${workload}.search: probes are made by one process of swarm; use load.generator = "swarm" and load.client_processes = 1`);
  }
}

/** Rounds are what one connection of the serial generator does, and it does nothing else. @param {Spec} spec @param {string[]} problems */
export function checkRounds(spec, problems) {
  for (const workload of spec.axes.workload) {
    const points = listPoints(spec).filter((point) => point.workload === workload).map((point) => resolveConditions(spec, point));
    const inRounds = points.filter(({ generator }) => generator === 'serial');
    if (inRounds.length === 0 && !spec.workloads[workload].sizes_b) continue;
    const fits = points.every(({ generator, connections, client_processes }) => generator === 'serial' && connections === 1 && client_processes === 1);
    if (fits && spec.workloads[workload].sizes_b) continue;
    problems.push(`workloads.${workload}.sizes_b: rounds are made by serial, on one connection of one process, and need sizes_b; use load.generator = "serial", load.client_processes = 1 and connections = 1, without GENERATOR`);
  }
}

/** Several addresses are of loopback, and of a generator that speaks dialects itself. @param {Spec} spec @param {string[]} problems */
export function checkAddresses(spec, problems) {
  const points = listPoints(spec).map((point) => resolveConditions(spec, point)).filter(({ client_addresses }) => client_addresses);
  if (points.length === 0) return;
  if (!points.every(({ generator }) => isNative(generator))) problems.push('points.client_addresses: only swarm connects from several; use load.generator = "swarm", without GENERATOR');
  if (spec.network) problems.push('points.client_addresses: a client in a namespace has one address; leave [network] out');
}

/** Steps of a sweep are whole seconds, as the client's records are, and messages fall due together only where there are some. */
export function checkSweeps(/** @type {Spec} */ spec, /** @type {string[]} */ problems) {
  for (const name of spec.axes.workload) {
    const staircase = staircaseOf(spec.workloads[name].arrivals);
    if (!staircase) continue;
    const where = `workloads.${name}.arrivals`;
    if (staircase.lead_s >= staircase.step_s) problems.push(`${where}.lead_s: ${staircase.lead_s} leaves nothing of a step of ${staircase.step_s} s; make it shorter`);
    staircase.steps.forEach(({ rate_hz, together }, index) => {
      if (together && rate_hz === 0) problems.push(`${where}.steps.${index}.together: ${together} messages can't fall due together at a rate of 0; leave it out`);
    });
  }
}
