/** Everything that runs here, installed before any of it runs: of several that start side by side, none needs to. */
import { installParts, listEngines, listLibraries, readEngine, readLibrary, readTestedEngines } from '../spec/engines.js';
import { listCompanions, listGenerators, readCompanion, readGenerator } from '../spec/generators.js';
import { LINK_PART } from '../spec/link.js';

/** Install every part that has a folder. @param {{tested?: boolean}} [which] of the engines those alone that the tests check */
export function installAll({ tested = false } = {}) {
  return installParts([
    ...listGenerators().map(readGenerator), // first, for one takes the longest
    ...(tested ? readTestedEngines() : listEngines().map(readEngine)),
    ...listGenerators().flatMap((generator) => listLibraries(generator).map((name) => readLibrary(name, generator))),
    ...listCompanions().map(readCompanion),
    LINK_PART,
  ], console.log);
}
