/** The description of an archive: RO-Crate 1.1, https://www.researchobject.org/ro-crate/1.1/ */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../harness/common/places.js';
import { describeCondition } from '../condition.js';
import { commandOf } from '../../harness/records/sources.js';

/** @import { Run, Source } from '../../harness/records/sources.js' */
/** @typedef {Record<string, any>} Entity */

export const METADATA = 'ro-crate-metadata.json';
const CONFORMS = 'https://w3id.org/ro/crate/1.1';

/** @type {Record<string, string>} by file extension */
const MEDIA_TYPES = {
  '.json': 'application/json', '.tsv': 'text/tab-separated-values', '.svg': 'image/svg+xml', '.png': 'image/png', '.pdf': 'application/pdf',
  '.txt': 'text/plain', '.cff': 'application/yaml', '.sha256': 'text/plain', '.gz': 'application/gzip', '.hlog': 'text/plain',
};

/** Describes a file by the first pattern that matches its name. @type {[RegExp, string][]} */
const WHAT = [
  [/(^|\/)spec\.json$/, 'the experiment as it ran: what was asked, versions, machine, commit, seed'],
  [/(^|\/)plan\.tsv$/, 'the plan: a line a trial'],
  [/(^|\/)comparisons\.tsv$/, 'what the claims compare'],
  [/(^|\/)verdict\.json$/, 'the verdicts of the claims, with every row behind them'],
  [/(^|\/)reduced\//, 'a table, reduced from the captures'],
  [/(^|\/)figures\//, 'a figure, drawn of the tables'],
  [/(^|\/)raw\//, 'a capture'],
  [/(^|\/)validity\.tsv$/, 'each rule of validity, its value and its bound'],
  [/^claims\.tsv$/, 'every claim of the sources, with its criterion'],
  [/(^|\/)yardstick\.tsv$/, 'what the machine charged meanwhile: a line a yardstick'],
  [/(^|\/)code\.sha256$/, 'a hash for each file of the code that ran'],
  [/(^|\/)raw\.sha256$/, 'a hash for the captures of each trial'],
];

/** @param {string} id */
const refer = (id) => ({ '@id': id });

/** @returns {{authors: Entity[], title: string, license: string, keywords: string[]}} from CITATION.cff */
function readCitation() {
  const { title, license, keywords = [], authors } = parse(readFileSync(join(ROOT, 'CITATION.cff'), 'utf8'));
  const entities = authors.map((/** @type {Record<string, string>} */ author, /** @type {number} */ index) => ({
    '@id': author.orcid ?? `#author-${index + 1}`, '@type': author.name ? 'Organization' : 'Person',
    name: author.name ?? [author['given-names'], author['family-names']].filter(Boolean).join(' '),
  }));
  return { authors: entities, title, license: `https://spdx.org/licenses/${license}`, keywords };
}

/** @param {{name: string, sha256: string, size_b: number}} file @returns {Entity} */
function describeFile({ name, sha256, size_b }) {
  const description = WHAT.find(([pattern]) => pattern.test(name))?.[1];
  const encodingFormat = MEDIA_TYPES[extname(name)];
  return {
    '@id': encodeURI(name), '@type': 'File', name, contentSize: String(size_b), sha256, ...(encodingFormat && { encodingFormat }), ...(description && { description }),
  };
}

/** @param {Source} source @returns {string[]} experiments without captures */
export const listWithoutCaptures = ({ runs }) => runs.filter(({ folder }) => !existsSync(join(folder, 'trials'))).map(({ experiment }) => experiment);

/** @param {Source} source @returns {string} which captures it holds */
function describeCaptures(source) {
  const without = listWithoutCaptures(source);
  if (without.length === 0) return 'with their captures';
  const hashed = source.runs.filter(({ experiment, folder }) => without.includes(experiment) && existsSync(join(folder, 'raw.sha256')));
  const hashes = hashed.length ? `, of ${hashed.length} of which the captures' hashes are kept` : '';
  return `WITHOUT the captures of ${without.join(', ')}${hashes}, so that their numbers can be checked from those of single trials on and not from the captures,`;
}

/** @param {Source} source @param {Run} run @returns {string} its folder in the archive, with a slash; '' for a single run */
export const prefixOf = ({ runs }, { experiment }) => (runs.length > 1 ? `${experiment}/` : '');

/** @param {Source} source @param {Run} run @returns {Entity[]} the action with its results, and the software */
function describeRun(source, run) {
  const { spec, plan, experiment } = run;
  const prefix = prefixOf(source, run);
  const engines = Object.entries(spec.engines).map(([name, engine]) => (
    { '@id': `#${experiment}-${name}`, '@type': 'SoftwareApplication', name, version: engine.version, runtimePlatform: engine.runtime }));
  const action = {
    '@id': `#${experiment}`, '@type': 'CreateAction', name: `${spec.title}: ${spec.question}`, description: describeCondition(spec, plan).join('. '),
    ...(spec.began && { startTime: spec.began }), instrument: [refer(`#wscale-${experiment}`), ...engines.map((engine) => refer(engine['@id']))],
    object: [refer(`${prefix}spec.json`), refer(`${prefix}plan.tsv`)], result: [refer(`${prefix}verdict.json`), refer(`${prefix}reduced/points.tsv`)],
  };
  const suite = { '@id': `#wscale-${experiment}`, '@type': 'SoftwareApplication', name: 'wscale', version: spec.environment.suite?.commit ?? 'unknown', description: commandOf(run) };
  return [action, suite, ...engines];
}

/**
 * @param {Source} source
 * @param {{name: string, sha256: string, size_b: number}[]} files of the archive
 * @returns {Record<string, any>} content of ro-crate-metadata.json; deterministic
 */
export function describeCrate(source, files) {
  const { authors, title, license, keywords } = readCitation();
  const dates = source.runs.map(({ spec }) => spec.began?.slice(0, 10)).filter(Boolean).sort();
  const root = {
    '@id': './', '@type': 'Dataset', name: `${title}: ${source.runs.map(({ spec }) => spec.title).join(', ')}`,
    description: `Runs of wscale, ${describeCaptures(source)} with tables, figures and verdicts. Check it with: make verify ARCHIVE=${source.name}.zip`,
    datePublished: dates[dates.length - 1] ?? '1980-01-01', license: refer(license), author: authors.map((author) => refer(author['@id'])), keywords: keywords.join(', '),
    hasPart: files.map(({ name }) => refer(encodeURI(name))), mentions: source.runs.map(({ experiment }) => refer(`#${experiment}`)),
  };
  const graph = [
    { '@id': METADATA, '@type': 'CreativeWork', conformsTo: refer(CONFORMS), about: refer('./') },
    root, ...authors, { '@id': license, '@type': 'CreativeWork', name: license.split('/').pop() },
    ...source.runs.flatMap((run) => describeRun(source, run)), ...files.map(describeFile),
  ];
  return { '@context': `${CONFORMS}/context`, '@graph': graph };
}
