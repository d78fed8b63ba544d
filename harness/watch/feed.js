/** Informs watchers of a run: first its current state, then each change. Watchers never delay the run. */
import { apply, emptyState } from './view.js';

/** @typedef {(text: string) => void} Listener Takes one event of a stream of Server-Sent Events */

/** @param {string} event @param {unknown} data @returns {string} as in the HTML standard, 9.2.5, "Parsing an event stream" */
export const formatEvent = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export class Feed {
  state = emptyState();
  /** @type {Set<Listener>} */
  listeners = new Set();

  /** @param {string} event of view.js @param {object} data */
  tell(event, data) {
    apply(this.state, event, data);
    const text = this.listeners.size ? formatEvent(event, data) : ''; // not formatted without listeners
    for (const listener of this.listeners) listener(text);
  }

  /** @param {Listener} listener gets the state first @returns {() => void} unsubscribes */
  subscribe(listener) {
    listener(formatEvent('state', this.state));
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
