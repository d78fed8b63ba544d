/** What a run tells whoever watches it: its state as it is now, and each change of it. Who watches never holds the run up. */
import { apply, emptyState } from './view.js';

/** @typedef {(text: string) => void} Listener takes an event of a stream of Server-Sent Events */

/** @param {string} event @param {unknown} data @returns {string} as the HTML standard has it, 9.2.5, "Parsing an event stream" */
export const formatEvent = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export class Feed {
  state = emptyState();
  /** @type {Set<Listener>} */
  listeners = new Set();

  /** @param {string} event of view.js @param {object} data */
  tell(event, data) {
    apply(this.state, event, data);
    const text = this.listeners.size ? formatEvent(event, data) : ''; // for no one it is not made
    for (const listener of this.listeners) listener(text);
  }

  /** @param {Listener} listener is told the state first @returns {() => void} to call when it has seen enough */
  subscribe(listener) {
    listener(formatEvent('state', this.state));
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
