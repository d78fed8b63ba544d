#!/usr/bin/env node
/**
 * check-truth: does swarm report what happened? Each check runs swarm against a server that injects a known fault and counts it,
 * and compares both reports. Checks of times need an idle machine.
 *
 *     node check-truth.js [CHECK]...
 *
 * Results are kept in results/check-truth/<stamp>/. All checks together write their part of docs/validation.md. Exit code: 1 if a check
 * failed; 64 for an unknown check; 130 if interrupted.
 */
import '../../../harness/common/surroundings.js';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import { join, relative } from 'node:path';
import { Interrupted, TrialError } from '../../../harness/common/failure.js';
import { formatMarkdownTable } from '../../../harness/common/format.js';
import { writePart } from '../../../harness/common/marks.js';
import { fillParagraphs } from '../../../harness/common/prose.js';
import { LocalHost } from '../../../harness/agent/host.js';
import { RESULTS, ROOT } from '../../../harness/common/places.js';
import { Bench, PROGRAMS } from './bench.js';
import { CHECKS } from './checks.js';
import { Verdicts } from './verdicts.js';

/** @param {string[]} names @returns {typeof CHECKS} the named checks, or all @throws {RangeError} */
function choose(names) {
  const unknown = names.find((name) => !CHECKS.some(([known]) => known === name));
  if (unknown !== undefined) throw new RangeError(`no check "${unknown}"; use one of ${CHECKS.map(([name]) => name).join(', ')}`);
  return names.length === 0 ? CHECKS : CHECKS.filter(([name]) => names.includes(name));
}

/** @returns {AbortSignal} aborted on SIGINT, SIGTERM and SIGHUP */
function watchSignals() {
  const controller = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(name, () => controller.abort(new Interrupted(name)));
  return controller.signal;
}

/** @typedef {{name: string, rows: import('./verdicts.js').Row[]}} Done a check, and its comparisons */

/** @param {typeof CHECKS} checks @param {Bench} bench @param {Verdicts} verdicts @returns {Promise<Done[]>} */
async function carryOut(checks, bench, verdicts) {
  const done = [];
  for (const [name, check] of checks) {
    const from = verdicts.rows.length;
    try {
      await check(bench, verdicts);
    } catch (error) {
      if (bench.signal.aborted || !(error instanceof TrialError)) throw error;
      verdicts.fail(name, error.message);
    }
    done.push({ name, rows: verdicts.rows.slice(from) });
  }
  return done;
}

/** @param {Done[]} done every check @param {Date} date */
function writeDocument(done, date) {
  const rows = done.map(({ name, rows: own }) => {
    const [passed, failed, skipped] = /** @type {const} */ (['yes', 'NO', 'not checked']).map((kind) => own.filter((row) => row.passed === kind));
    return [name, String(passed.length), failed.length ? `${failed.length}: ${failed.map(({ check }) => check).join('; ')}` : '0', String(skipped.length)];
  });
  const version = execFileSync(join(PROGRAMS, 'swarm'), ['--version'], { encoding: 'utf8' }).split(';')[0].replace('(', '').trim();
  const text = `${formatMarkdownTable(['check', 'as it must be', 'not so', 'not checked'], rows)}

One run of \`make check-truth\` on ${date.toISOString().slice(0, 10)} by ${version}, ${os.cpus().length} cores (${os.cpus()[0].model}, Linux ${os.release()}).`;
  writePart(join(ROOT, 'docs/validation.md'), 'by make check-truth', fillParagraphs(text, 120));
}

/** @param {typeof CHECKS} checks @returns {Promise<number>} exit code */
async function main(checks) {
  const signal = watchSignals();
  const folder = join(RESULTS, 'check-truth', new Date().toISOString().replace(/[-:]/g, '').replace(/\..*/, 'Z'));
  mkdirSync(folder, { recursive: true });
  const [host, verdicts] = [new LocalHost(), new Verdicts()];
  const date = new Date();
  let done;
  try {
    verdicts.printHeader();
    done = await carryOut(checks, new Bench(host, folder, signal), verdicts);
    verdicts.write(folder);
    if (checks === CHECKS) writeDocument(done, date);
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error(`error: check-truth: ${signal.reason.message}; run it again`);
    return 130;
  } finally {
    await host.close();
  }
  const lacking = done.filter(({ rows }) => rows.every(({ passed }) => passed === 'not checked')).map(({ name }) => name);
  const ran = done.map(({ name }) => name).filter((name) => !lacking.includes(name));
  console.log(`ran: ${ran.join(', ')}${lacking.length ? `; not here: ${lacking.join(', ')}, for the reasons above` : ''}`);
  console.log(`${verdicts.sum()} (${relative(ROOT, folder)})`);
  return verdicts.count('NO') > 0 ? 1 : 0;
}

try {
  process.exitCode = await main(choose(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(`error: check-truth: ${error.message}`);
  process.exitCode = 64;
}
