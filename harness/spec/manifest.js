/** Reads TOML manifests and checks them against JSON schemas; reports all errors at once, in plain words. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { schemaOfExperiment } from './schema/experiment.js';
import { FIGURES } from './schema/figures.js';
import { HOSTS } from './schema/hosts.js';
import { PARTS } from './schema/parts.js';

/** `$data`: a bound may refer to another value of the file. */
const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, strictNumbers: true, $data: true });
const SCHEMAS = { ...PARTS, hosts: HOSTS, figures: FIGURES };
/** @typedef {'experiment' | keyof typeof SCHEMAS} SchemaName */

/** @type {Map<SchemaName, import('ajv').ValidateFunction>} */
const validators = new Map();

/** @param {SchemaName} name @returns {import('ajv').ValidateFunction} */
function compiled(name) {
  const validator = validators.get(name) ?? ajv.compile(name === 'experiment' ? schemaOfExperiment() : SCHEMAS[name]);
  validators.set(name, validator);
  return validator;
}

/** Advice if there is no such file. @type {Partial<Record<string, string>>} */
const NEXT = { hosts: 'copy hosts.example.toml, and say what hosts you have' };

/** @param {string} path of a TOML file @param {SchemaName} schema @returns {any} its content @throws {UserError} with every problem */
export function readManifest(path, schema) {
  const { value, problems } = inspectManifest(path, schema);
  if (problems.length) throw new UserError(problems);
  return value;
}

/**
 * Like readManifest, for callers with further checks: the user then gets all problems at once.
 * @param {string} path @param {SchemaName} schema
 * @returns {{value: any, problems: string[], places: string[]}} places: the keys with problems, such as "load.late_ms"
 * @throws {UserError} if there is no such file, or it is not TOML
 */
export function inspectManifest(path, schema) {
  const where = relative(ROOT, path);
  if (!existsSync(path)) throw new UserError(`${where}: no such file; ${NEXT[schema] ?? '`./wscale list` shows what there is'}`);
  return inspectValue(parseToml(readText(path, where), where), schema, where);
}

/** @param {string} path @param {string} where @returns {string} @throws {UserError} if it is not a readable file */
function readText(path, where) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`${where}: ${/** @type {Error} */ (error).message}; make it a file that you may read`);
  }
}

/** @param {any} value of a manifest @param {SchemaName} schema @param {string} where it is */
export function inspectValue(value, schema, where) {
  const validate = compiled(schema);
  const errors = validate(structuredClone(value)) ? [] : validate.errors ?? []; // a clone of plain objects, since ajv calls their methods
  return { value, problems: explainAll(errors, where), places: errors.map(placeOf) };
}

/** @param {string} text @param {string} where @returns {Record<string, unknown>} */
function parseToml(text, where) {
  try {
    return parse(text);
  } catch (error) {
    const { message, line, column } = /** @type {Error & {line?: number, column?: number}} */ (error);
    const what = message.split('\n')[0].replace(/^Invalid TOML document: /, '');
    throw new UserError(`${where}:${line}:${column}: not TOML: ${what}; see https://toml.io/en/v1.0.0`);
  }
}

/** @param {import('ajv').ErrorObject} error @returns {string} */
function placeOf({ instancePath, keyword, params }) {
  const missing = keyword === 'required' ? [params.missingProperty] : [];
  return [...instancePath.split('/').slice(1), ...missing].join('.');
}

/** @param {import('ajv').ErrorObject[]} errors @param {string} where @returns {string[]} */
function explainAll(errors, where) {
  const lines = errors.filter(({ keyword }) => !['if', 'propertyNames'].includes(keyword)).map((error) => explain(error, where));
  return [...new Set(lines)];
}

/** Plain words for JSON Schema's types. @type {Record<string, string>} */
const TYPES = {
  string: 'a text, in quotes', number: 'a number, without quotes', integer: 'a whole number, without quotes', boolean: 'true or false',
  array: 'a list, in [ ]', object: 'a table',
};

/** @param {import('ajv').ErrorObject} error @param {string} file @returns {string} */
function explain({ instancePath, keyword, params, data, message, parentSchema }, file) {
  const place = visible(instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'));
  const where = place ? `${file}: ${place}` : file;
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    return `${where}: unknown key "${visible(params.additionalProperty)}"; known here: ${known}`;
  }
  if (keyword === 'required') return `${where}: "${params.missingProperty}" is missing; add it`;
  if (keyword === 'dependencies') return `${where}: "${params.missingProperty}" is missing, which "${params.property}" needs; add it`;
  if (keyword === 'const') return `${where}: ${show(data)} is not known; use ${params.allowedValue}, or leave it out`;
  if (keyword === 'type' && typeof data === 'number' && !Number.isFinite(data)) return `${where}: ${show(data)} is not a finite number; give one`;
  if (keyword === 'pattern' && parentSchema?.description) return `${where}: ${show(data)} is not ${parentSchema.description}; correct it`;
  if (keyword === 'enum') return `${where}: ${show(data)} is not known; use one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'type') return `${where}: ${show(data)} is not ${String(params.type).split(',').map((type) => TYPES[type] ?? type).join(' or ')}; give it one`;
  return `${where}: ${show(data)} ${message}; correct it`;
}

/** @param {string} key @returns {string} on one line, with control characters escaped */
const visible = (key) => key.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @param {unknown} value @returns {string} short enough for one line */
function show(value) {
  const text = typeof value === 'number' ? String(value).replace('NaN', 'nan').replace('Infinity', 'inf') : visible(JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
