/** For the Containerfile: the Debian packages of what any experiment may need beside its parts. */
import { provide } from '../../harness/cli/provide.js';

process.exitCode = provide(['run', 'yardstick', 'figures', 'records', 'network', 'capture']);
