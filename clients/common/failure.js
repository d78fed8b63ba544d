/** Exit codes, shared with the servers (servers/CONTRACT.md). */
export const EXIT = { stopped: 0, settings: 64, behaviour: 69, internal: 70 };

/**
 * An error that ends the client with an exit code of the contract and one line for each problem.
 */
export class Failure extends Error {
  /**
   * @param {number} code one of EXIT
   * @param {string[]} lines each `<where>: <what, with the value>; <next step>`
   */
  constructor(code, lines) {
    super(lines.join('\n'));
    this.code = code;
    this.lines = lines;
  }
}

/**
 * @param {unknown} error whatever was thrown
 * @returns {string}
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
