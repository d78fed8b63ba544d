/** The command line of the suite. `./wscale` installs what a command needs and calls this; `node harness/main.js` installs nothing. */
import './common/surroundings.js';
import { delimiter } from 'node:path';
import { CommanderError } from 'commander';
import { nameOptions } from './cli/options.js';
import { explainUsage, checkArguments, makeProgram, readMake } from './cli/program.js';
import { InstallError, Interrupted, NOT_INSTALLED, UserError, printable, whatNext } from './common/failure.js';
import { finish } from './common/output.js';
import { IS_SEALED, ROOT } from './common/places.js';

/** Exit code of bad input. */
const BAD = 2;

/** @param {string[]} given @returns {Promise<number>} */
async function main(given) {
  const { WSCALE_INSTALLS, WSCALE_MAKE } = process.env;
  const argv = checkArguments(WSCALE_MAKE ? readMake(given, process.env) : given);
  const forUs = Object.keys(process.env).filter((name) => /^WSCALE_(INSTALLS|MAKE|GIVEN|VALUE_.*)$/.test(name));
  for (const name of forUs) delete process.env[name];
  // Programs, even Node, would be found elsewhere
  if (ROOT.includes(delimiter)) throw new UserError(`${ROOT}: a path with "${delimiter}" can't be in PATH; move the suite to one without`);
  let code = 0;
  const program = makeProgram({ installs: WSCALE_INSTALLS === '1', onCode: (ended) => { code = ended; } });
  const [word, topic] = argv;
  if (word === 'help' && topic && topic !== 'help' && !program.commands.some((each) => each.name() === topic)) {
    throw explainUsage(new CommanderError(BAD, 'commander.unknownCommand', `unknown command '${topic}'`), [topic]);
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return 0;
    if (error.code === 'commander.help') return argv[0] === 'help' ? 0 : BAD;
    throw explainUsage(error, argv);
  }
  return code;
}

const OWN = IS_SEALED ? 'mount it as its own: podman run -v ./results:/results:U, or docker run --user "$(id -u):$(id -g)"' : 'make it yours';

/** Advice by error code, for errors of the operating system that are no fault of the suite. @type {Record<string, string>} */
const REFUSALS = {
  ENOSPC: 'make room on the disk (TMPDIR is one of its places)', EDQUOT: 'make room on the disk', EROFS: 'make it writable', EACCES: OWN,
  EPERM: OWN, EMFILE: 'raise `ulimit -n`', EISDIR: 'put a file there', ENOTDIR: 'put a folder there', ELOOP: 'remove the link that leads to itself',
  ENAMETOOLONG: 'give a shorter one', EIO: 'see what the kernel says of the disk (dmesg)',
};

/** Under make, messages name make's variables instead of options. */
const IS_OF_MAKE = Boolean(process.env.WSCALE_MAKE);

/** @param {any} error @returns {number} exit code */
function explain(error) {
  if (process.env.WSCALE_TRACE) console.error(error.stack);
  if (error instanceof UserError) {
    for (const problem of error.problems) console.error(`error: ${nameOptions(problem, IS_OF_MAKE)}`);
    return error instanceof InstallError ? NOT_INSTALLED : BAD;
  }
  if (error instanceof Interrupted) {
    console.error(`${error.message}: everything that ran was stopped; ${whatNext.next}`);
    return 130;
  }
  if (Object.hasOwn(REFUSALS, error.code ?? '')) {
    console.error(printable(`error: ${error.path ?? 'results'}: ${error.message}; ${REFUSALS[error.code]}, then ${whatNext.next}`));
    return 2;
  }
  console.error(`error: wscale: ${printable(String(error.message))}; set WSCALE_TRACE=1 to see where, and report it`);
  return 70;
}

await finish(main(process.argv.slice(2)), explain);
