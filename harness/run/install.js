/** Everything that runs here, installed before any of it runs: of several that start side by side, none needs to. */
import { installParts, listEngines, listLibraries, readEngine, readLibrary } from '../spec/engines.js';
import { listCompanions, listGenerators, readCompanion, readGenerator } from '../spec/generators.js';
import { LINK_PART } from '../spec/link.js';

/** Install every part that has a folder. */
export function installAll() {
  return installParts([
    ...listGenerators().map(readGenerator), // first, for one takes the longest
    ...listEngines().map(readEngine),
    ...listGenerators().flatMap((generator) => listLibraries(generator).map((name) => readLibrary(name, generator))),
    ...listCompanions().map(readCompanion),
    LINK_PART,
  ], console.log);
}
