#!/usr/bin/env node
/**
 * analyse: turns a bundle's raw captures into tables, in <bundle>/reduced, all or nothing.
 *
 *     node analysis/analyse.js results/<experiment>/<stamp>
 *
 * Reads plan.tsv, comparisons.tsv and trials/<id>/{status,validity.tsv,raw}. trials/bundle.js reduces each trial;
 * points/tables.js computes the rest, without captures.
 */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { makeTables } from './points/tables.js';
import { reduceTrials } from './trials/bundle.js';

/**
 * @param {string} bundle @param {boolean} [hasCaptures] false: take the trials' numbers from the existing tables, as for a published result
 * @throws {UserError} if its captures can't be read
 */
export async function analyse(bundle, hasCaptures = true) {
  const [reduced, partial] = [join(bundle, 'reduced'), join(bundle, `reduced.partial-${process.pid}`)];
  for (const name of readdirSync(bundle).filter((each) => each.startsWith('reduced.partial-'))) {
    rmSync(join(bundle, name), { recursive: true });
  }
  openBundle(bundle);
  try {
    if (hasCaptures) mkdirSync(partial);
    else cpSync(reduced, partial, { recursive: true });
    if (hasCaptures) await reduceTrials(bundle, partial);
    await makeTables(bundle, partial);
    rmSync(reduced, { recursive: true, force: true });
    renameSync(partial, reduced);
  } catch (error) {
    if (process.env.WSCALE_TRACE || error instanceof UserError || isOfDisk(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `${bundle}: can't be reduced: ${why}; analyse it with the code of its commit (spec.json), or see more with WSCALE_TRACE=1`,
    );
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** @param {unknown} error @returns {boolean} is the disk the reason, not the captures? */
const isOfDisk = (error) => ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(String(/** @type {any} */ (error)?.code));

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await analyse(resolve(process.argv[2]));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const problem of error.problems) console.error(`error: ${problem}`);
    process.exitCode = 2;
  }
}
