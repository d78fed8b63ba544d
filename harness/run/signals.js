/** What interrupts a run: signals, and the end of its output's reader. */
import { setMaxListeners } from 'node:events';
import { Interrupted } from '../common/failure.js';
import { onOutputEnd } from '../common/output.js';

/** A signal is heard when the event loop comes round, so not while a program is waited for. */
export const HEARD_WITHIN_MS = 50;

/** Ctrl-C, SIGTERM, SIGHUP and a closed output end the run at once. All its processes are gone before this one exits. */
export function listenForSignals() {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const names = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const stop = (/** @type {string} */ name) => controller.abort(new Interrupted(name));
  names.forEach((name) => process.on(name, stop));
  const forget = onOutputEnd(({ code, message }) => stop(code === 'EPIPE' ? 'the reader of its output, who has gone' : `its output (${message})`));
  const release = () => {
    names.forEach((name) => process.off(name, stop));
    forget();
  };
  return { signal: controller.signal, release };
}
