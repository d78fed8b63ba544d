/** The signals that end a run. */
import { setMaxListeners } from 'node:events';
import { Interrupted } from '../common/failure.js';

/** Ctrl-C, SIGTERM and SIGHUP end the run at once; what it started is gone before the process exits. */
export function listenForSignals() {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const names = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const stop = (/** @type {string} */ name) => controller.abort(new Interrupted(name));
  names.forEach((name) => process.on(name, stop));
  return { signal: controller.signal, release: () => names.forEach((name) => process.off(name, stop)) };
}
