/**
 * Data of a running trial, appended to its bundle as it arrives: one line each second for whoever follows the run, and the CPU accounts
 * read so far. They survive a crash of the coordinator or of the agent. When a trial completes, the agent's own files replace the accounts.
 */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatRows } from '../common/files.js';


/** Columns of live.tsv. Those reported by clients are named as in clients/CONTRACT.md, While it runs. */
const COLUMNS = [
  'host', 't_s', 'established', 'segments_hz', 'connected', 'due_hz', 'sent_hz', 'received_hz', 'latency_p50_us', 'latency_p99_us', 'cores', 'warnings',
  'told_s', 'due', 'sent', 'received',
];

/** Writes the live files of one trial. */
export class LiveFiles {
  /** @param {string} raw the trial's folder of captures */
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

  /** @param {{name: string, text: string}} written text to append to a file */
  keep({ name, text }) {
    try {
      mkdirSync(this.raw, { recursive: true });
      appendFileSync(join(this.raw, basename(name)), text);
    } catch {
      // ignored: if the disk is full, the trial's own writes report it
    }
  }
}
