/** For the Containerfile: installs the Debian packages that experiments may need, besides those of engines and clients. */
import { provide } from '../../harness/cli/provide.js';

process.exitCode = provide(['run', 'yardstick', 'figures', 'records', 'network', 'capture']);
