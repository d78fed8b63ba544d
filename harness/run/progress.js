/** Progress: a bar with the time left on a terminal, a line a trial elsewhere; the lines are kept in the bundle's run.log. */
import { appendFileSync } from 'node:fs';
import progress from 'cli-progress';
import { formatDuration } from '../common/format.js';

export class Progress {
  /** @param {number} total trials @param {number} trialS the estimate for one, until some were measured @param {string} log a file */
  constructor(total, trialS, log) {
    this.log = log;
    this.total = total;
    this.trialS = trialS;
    this.done = 0;
    this.spentS = 0;
    this.bar = process.stdout.isTTY ? new progress.SingleBar({
      format: '{bar} {value}/{total}  {trial}  {left} left', hideCursor: true, clearOnComplete: true, barsize: 24, gracefulExit: false,
    }, progress.Presets.shades_classic) : undefined;
    this.bar?.start(total, 0, { trial: '', left: this.formatLeft() });
  }

  get left_s() {
    const each = this.done ? this.spentS / this.done : this.trialS;
    return each * (this.total - this.done);
  }

  formatLeft() {
    return formatDuration(this.left_s);
  }

  /** @param {string} trial */
  begin(trial) {
    this.beganMs = performance.now();
    this.bar?.update(this.done, { trial, left: this.formatLeft() });
  }

  /** @param {string} trial @param {string} outcome */
  end(trial, outcome) {
    this.done++;
    this.spentS += (performance.now() - (this.beganMs ?? 0)) / 1000;
    this.bar?.update(this.done, { trial, left: this.formatLeft() });
    const line = `[${String(this.done).padStart(String(this.total).length)}/${this.total}] ${trial}  ${outcome}  ${this.formatLeft()} left`;
    if (!this.bar) console.log(line);
    else if (outcome !== 'done') this.tell(line);
    this.#keep(line);
  }

  /** @param {string} line */
  #keep(line) {
    try {
      appendFileSync(this.log, `${new Date().toISOString()} ${line}\n`);
    } catch {
      // a full disk costs the log a line, not the run the trials that are left
    }
  }

  /** @param {number} total trials, more than there were */
  extend(total) {
    this.total = total;
    this.bar?.setTotal(total);
  }

  /** A line above the bar. @param {string} line */
  tell(line) {
    this.bar?.stop();
    console.log(line);
    this.bar?.start(this.total, this.done, { trial: '', left: this.formatLeft() });
  }

  close() {
    this.bar?.stop();
  }
}
