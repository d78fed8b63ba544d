import { EXIT, Failure, messageOf } from './failure.js';

/**
 * Runs a client's program, then exits: with 0 when it finishes or a signal stops it, otherwise with the failure's code.
 * Prints the failure's lines on standard error; WSCALE_TRACE=1 prints the stack first.
 * @param {string} where the client's folder, for the error
 * @param {() => Promise<void>} run
 * @param {() => void | Promise<void>} [release] stops whatever the program started
 */
export function runProgram(where, run, release = () => {}) {
  let isEnding = false; // only the first end counts: the release makes pending operations fail
  /** @param {number} code */
  const end = async (code) => {
    isEnding = true;
    try {
      await release();
    } finally {
      process.exit(code);
    }
  };
  /** @param {unknown} error */
  const fail = (error) => {
    if (isEnding) return;
    if (process.env.WSCALE_TRACE && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    const lines = error instanceof Failure ? error.lines : [`${where}: ${messageOf(error).split('\n')[0]}; run it again with WSCALE_TRACE=1 for the stack`];
    for (const line of lines) process.stderr.write(`error: ${line}\n`);
    end(error instanceof Failure ? error.code : EXIT.internal);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => isEnding || end(EXIT.stopped));
  process.on('uncaughtException', fail);
  run().then(() => isEnding || end(EXIT.stopped), fail);
}
