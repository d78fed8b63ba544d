/** The figures of the published records. */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, figuresOf, recordOf } from '../harness/common/places.js';
import { listKept } from '../harness/records/sources.js';

/** @returns {string[]} paths relative to the suite's folder */
export const listPictures = () => listKept().flatMap(({ experiment, profile }) => globSync(join(figuresOf(recordOf(experiment, profile)), '*.svg')))
  .map((path) => relative(ROOT, path)).sort();
