/** What carries frames between network namespaces where the kernel has no netem (infra/link): built like an engine. */
import { join } from 'node:path';
import { ROOT } from '../common/places.js';

/** @type {import('./engines.js').Installable} */
export const LINK_PART = {
  name: 'link', folder: join(ROOT, 'infra', 'link'), runtime: 'rust', build: ['cargo', 'build', '--release', '--locked'],
};
