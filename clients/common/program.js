import { EXIT, Failure, messageOf } from './failure.js';

/**
 * Runs a client's program and ends the process: with 0 when it is over or was asked to stop, else with the failure's code, once each of
 * its lines is on standard error. WSCALE_TRACE=1 prints the stack first.
 * @param {string} where the client's folder, for the error
 * @param {() => Promise<void>} run
 * @param {() => void | Promise<void>} [release] ends what the program started
 */
export function runProgram(where, run, release = () => {}) {
  let isEnding = false; // only the first end counts: what ends also breaks what was waited for
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
