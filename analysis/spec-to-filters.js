#!/usr/bin/env node
/**
 * spec-to-filters: the programs by which the parts of a run, its companion and its generators, reduce what they recorded.
 *
 *     node spec-to-filters.js spec.json reduce|derive > paths
 *
 * A part names them in its own folder, in generator.toml or companion.toml (clients/CONTRACT.md). One that is no longer there has none.
 *
 * Output: a path a line, in the order in which they are to be run
 */
import { join } from 'node:path';
import { readJson } from '../harness/common/files.js';
import { listCompanions, listGenerators, readCompanion, readGenerator } from '../harness/spec/generators.js';
import { listNeededGenerators } from '../harness/spec/points.js';

const spec = readJson(process.argv[2]);
const key = /** @type {'reduce' | 'derive'} */ (process.argv[3]);
const parts = [
  ...listCompanions().filter((name) => name === spec.load.companion).map(readCompanion),
  ...listGenerators().filter((name) => listNeededGenerators(spec).includes(name)).map(readGenerator),
];
const filters = parts.flatMap((part) => (key in part ? [join(part.folder, String(Reflect.get(part, key)))] : []));
if (filters.length) console.log(filters.join('\n'));
