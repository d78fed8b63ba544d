/**
 * A bundle may come from anyone. When it is opened, values for paths and commands must be names, and values for calculations must be
 * numbers. All other text is free, and must be quoted where it is used.
 */
import { UserError } from './failure.js';

const NAME = /^[A-Za-z0-9][\w.+-]*$/;
const SETTING = /^(-|[a-z0-9_]+=[A-Za-z0-9.+-]+(,[a-z0-9_]+=[A-Za-z0-9.+-]+)*)$/;
const NUMBER = /^\d+(\.\d+)?(e[+-]?\d+)?$/;

const TOLD_MAX = 5;
/** Objects of spec.json. */
const PARTS = ['engines', 'axes', 'workloads', 'phases', 'load', 'environment'];

/** A terminal obeys them, and neither an SVG nor a table may contain them. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** @param {string} text @returns {string} without control characters; line breaks and tabs stay */
export const withoutControls = (text) => text.replaceAll(CONTROLS, '\uFFFD');

/** @param {string} path of a trial.json @param {{name: string}[]} [hosts] whose names become folders @throws {UserError} */
export function checkHostNames(path, hosts = []) {
  const problems = hosts.flatMap(({ name }) => refuse('hosts', NAME, { name }));
  if (problems.length) throw new UserError(`${path}: ${problems[0]}; it was not written by this suite, or was changed since`);
}

/**
 * @param {string} path of a bundle, for the error @param {any} spec @param {Record<string, string>[]} plan
 * @throws {UserError} with the first TOLD_MAX problems
 */
export function checkUntrusted(path, spec, plan) {
  const isTable = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const wrong = isTable(spec) ? PARTS.find((part) => part in spec && !isTable(spec[part])) : 'it';
  if (wrong) throw new UserError(`${path}: spec.json: ${wrong} is no object; it was not written by this suite, or was changed since`);
  const { experiment, profile, seed, phases = {}, engines = {}, axes = {}, load = {}, environment } = spec;
  const problems = [
    ...refuse('spec.json', NAME, { experiment, profile, commit: environment?.suite?.commit, generator: load.generator, companion: load.companion }),
    ...refuse('spec.json', NUMBER, { seed, ...phases }),
    ...Object.entries(engines).flatMap(([name, { processes = {} }]) => refuse('spec.json: engines', NAME, { name, ...Object.keys(processes) })),
    ...Object.entries(axes).flatMap(([name, values]) => refuse(`spec.json: axes.${name}`, NAME, { ...values })),
    ...plan.flatMap(({ trial, era, engine, workload, setting, block, from_s, to_s }) => [
      ...refuse('plan.tsv', NAME, { trial, era, engine, workload }), ...refuse('plan.tsv', SETTING, { setting }), ...refuse('plan.tsv', NUMBER, { block, from_s, to_s }),
    ]),
  ];
  if (problems.length) throw new UserError([...new Set(problems)].slice(0, TOLD_MAX).map((problem) => `${path}: ${problem}; it was not written by this suite, or was changed since`));
}

/** @param {string} where @param {RegExp} pattern @param {Record<string, unknown>} values @returns {string[]} */
function refuse(where, pattern, values) {
  const wrong = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && !pattern.test(String(value)));
  return wrong.map(([key, value]) => `${where}: ${key} is ${withoutControls(JSON.stringify(value)).slice(0, 100)}`);
}
