/** Where the samples of golden tests are. */
import { join } from 'node:path';

/** @param {string} experiment @returns {string} the folder of its sample and the expected results */
const goldenOf = (experiment) => join(import.meta.dirname, 'samples', experiment);

/** @param {string} experiment @returns {string} the archive of a bundle, made by take-sample.js */
export const sampleOf = (experiment) => join(goldenOf(experiment), 'sample.tar.xz');

/** @param {string} experiment @returns {string} the expected results of the sample */
export const expectedOf = (experiment) => join(goldenOf(experiment), 'expected');
