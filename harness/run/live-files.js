/**
 * What is known of a trial while it runs, kept in its bundle as it comes: a line each second for whoever follows it, and what accounts were
 * read. Whatever becomes of the coordinator or of the agent, these are there; a trial that comes to its end has the agent's own files in
 * their place.
 */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatRows } from '../common/files.js';


/** Of live.tsv. What clients tell has their names (clients/CONTRACT.md, While it runs). */
const COLUMNS = [
  'host', 't_s', 'established', 'segments_hz', 'connected', 'due_hz', 'sent_hz', 'received_hz', 'latency_p50_us', 'latency_p99_us', 'cores', 'warnings',
  'told_s', 'due', 'sent', 'received',
];

/** Of one trial. */
export class LiveFiles {
  /** @param {string} raw its folder for what is captured */
  constructor(raw) {
    this.raw = raw;
  }

  /** @param {import('../watch/view.js').Second} second */
  follow({ cores = {}, warnings, client, ...second }) {
    const listed = Object.entries(cores).map(([role, used]) => `${role}=${used}`).join(',');
    const row = { ...second, ...client, cores: listed || undefined, warnings: warnings.join(',') || undefined };
    const header = existsSync(join(this.raw, 'live.tsv')) ? '' : `${COLUMNS.join('\t')}\n`;
    this.keep({ name: 'live.tsv', text: header + formatRows(COLUMNS, [row]) });
  }

  /** @param {{name: string, text: string}} written at the end of a file */
  keep({ name, text }) {
    try {
      mkdirSync(this.raw, { recursive: true });
      appendFileSync(join(this.raw, basename(name)), text);
    } catch {
      // a full disk is told by what the trial itself has to write
    }
  }
}
