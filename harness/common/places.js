/** Where things are. */
import { dirname, join } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));
// Overridden by tests, which bring folders of their own.
export const EXPERIMENTS = process.env.WSCALE_EXPERIMENTS ?? join(ROOT, 'experiments');
export const SERVERS = process.env.WSCALE_SERVERS ?? join(ROOT, 'servers');
export const CLIENTS = join(ROOT, 'clients');
export const RUNTIMES = join(ROOT, 'runtimes');
export const RESULTS = process.env.WSCALE_RESULTS ?? join(ROOT, 'results');
/** Every claim of the sources. */
export const CLAIMS = join(ROOT, 'experiments', 'claims.tsv');
/** What goes before the argv of an agent, a program a word. */
export const AGENT_INSIDE = process.env.WSCALE_AGENT_INSIDE?.split(' ') ?? [];
/** Of a core, for whoever makes the load; all of it where none is given. `make check-trust` starves it so. */
export const CLIENT_QUOTA = process.env.WSCALE_CLIENT_QUOTA ? Number(process.env.WSCALE_CLIENT_QUOTA) : undefined;
