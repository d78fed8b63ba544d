/**
 * ProxyCommand of ssh that makes the coordinator seem far away: it delays data by MS each way, but not between hosts.
 *
 *     node far.js HOST PORT MS
 */
import { connect } from 'node:net';

const [host, port, ms] = process.argv.slice(2);
const socket = connect({ host, port: Number(port), noDelay: true });

/** @param {NodeJS.ReadableStream} from @param {NodeJS.WritableStream} to */
function carry(from, to) {
  from.on('data', (data) => setTimeout(() => to.write(data), Number(ms)));
  from.on('end', () => setTimeout(() => to.end(), Number(ms)));
}

carry(process.stdin, socket);
carry(socket, process.stdout);
for (const stream of [process.stdin, process.stdout, socket]) stream.on('error', () => process.exit(1));
socket.on('close', () => setTimeout(() => process.exit(0), 2 * Number(ms)));
