/** Progress: a bar with the remaining time on a terminal, else one line per trial. The bundle's run.log keeps the lines. */
import { appendFileSync } from 'node:fs';
import progress from 'cli-progress';
import { sum } from 'd3-array';
import { formatDuration } from '../common/format.js';

const TICK_MS = 1000;

export class Progress {
  /** @param {number[]} estimates_s of the trials to do @param {string} log a file @param {() => string} describe what runs now */
  constructor(estimates_s, log, describe) {
    this.estimates_s = [...estimates_s];
    this.log = log;
    this.describe = describe;
    this.done = 0;
    this.spent_s = 0;
    if (!process.stdout.isTTY) return;
    this.bar = new progress.SingleBar({
      format: '{bar} {value}/{total}  {left} left  {trial}', hideCursor: true, clearOnComplete: true, barsize: 24, gracefulExit: false,
    }, progress.Presets.shades_classic);
    this.bar.start(this.total, 0, { trial: '', left: this.formatLeft() });
    this.ticks = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  get total() {
    return this.estimates_s.length;
  }

  /** Remaining seconds by the estimates, scaled by how far off they were so far. */
  get left_s() {
    const [before_s, after_s] = [sum(this.estimates_s.slice(0, this.done)), sum(this.estimates_s.slice(this.done))];
    const running_s = this.began_ms === undefined ? 0 : (performance.now() - this.began_ms) / 1000;
    const longer = before_s ? this.spent_s / before_s : 1;
    const [next_s = 0] = this.estimates_s.slice(this.done);
    return longer * after_s - Math.min(running_s, longer * next_s);
  }

  formatLeft() {
    return formatDuration(this.left_s);
  }

  /** Call when the next trial begins. */
  begin() {
    this.began_ms = performance.now();
    this.#draw();
  }

  /** @param {string} trial @param {string} outcome */
  end(trial, outcome) {
    this.done++;
    this.spent_s += (performance.now() - (this.began_ms ?? NaN)) / 1000;
    this.began_ms = undefined;
    this.#draw();
    const line = `[${String(this.done).padStart(String(this.total).length)}/${this.total}] ${trial}  ${outcome}  ${this.formatLeft()} left`;
    if (!this.bar) console.log(line);
    else if (outcome !== 'done') this.tell(line);
    try {
      appendFileSync(this.log, `${new Date().toISOString()} ${line}\n`);
    } catch {
      // ignored: a full disk must not stop the remaining trials for a line of the log
    }
  }

  #draw() {
    this.bar?.update(this.done, { trial: this.describe(), left: this.formatLeft() });
  }

  /** @param {number} estimate_s of one more trial, after all others */
  extend(estimate_s) {
    this.estimates_s.push(estimate_s);
    this.bar?.setTotal(this.total);
  }

  /** Print a line above the bar. @param {string} line */
  tell(line) {
    this.bar?.stop();
    console.log(line);
    this.bar?.start(this.total, this.done, { trial: this.describe(), left: this.formatLeft() });
  }

  close() {
    clearInterval(this.ticks);
    this.bar?.stop();
  }
}
