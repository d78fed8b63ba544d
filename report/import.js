/** `wscale record import`: keep the runs of another machine, from their archive. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { recordOf } from '../harness/common/places.js';
import { makeTemporary, removeTemporary } from '../harness/common/temporary.js';
import { checkZip, findWrongFiles, listArchived, unzip } from '../harness/records/archives.js';
import { describeMachine, machinesOf, nameMachine } from '../harness/records/machines.js';
import { checkRecordable, drawRecord, keepBundle, writeThesisResults } from './record.js';

/**
 * Keep the runs of an archive beside the records of their experiments. Nothing is kept unless all of them can be.
 * @param {string} path of what `archive` wrote on another machine
 * @throws {UserError} when it is not whole, has no captures, or ran on a machine like the record's
 */
export async function importArchive(path) {
  await checkZip(path);
  const folder = makeTemporary('import');
  try {
    await unzip(path, folder);
    const { wrong } = await findWrongFiles(folder);
    if (wrong.length) throw new UserError(`${path}: ${wrong.length} of its files are not what its hashes say; get it anew`);
    const runs = listArchived(folder).map((name) => join(folder, name));
    for (const run of runs) checkImportable(path, run);
    for (const run of runs) await keepRun(run);
  } finally {
    removeTemporary(folder);
  }
  writeThesisResults();
}

/** @param {string} path of the archive @param {string} run unzipped @throws {UserError} */
function checkImportable(path, run) {
  const { spec } = openBundle(run);
  const told = `${path}: ${spec.experiment}`;
  const record = recordOf(spec.experiment);
  if (!existsSync(join(run, 'trials'))) throw new UserError(`${told}: holds no captures; archive the run itself, not the record`);
  if (!existsSync(join(record, 'spec.json'))) throw new UserError(`${told}: has no record here to lie beside; make one with: ./wscale record results/…`);
  checkRecordable(run, spec);
  const [here, there] = [openBundle(record).spec, spec].map(({ environment }) => describeMachine(environment));
  if (here === there) throw new UserError(`${told}: ran on ${there}, as the record did; add the run with: ./wscale record results/… --add`);
  const kept = join(machinesOf(spec.experiment), nameMachine(spec));
  if (existsSync(kept) && openBundle(kept).spec.began !== spec.began) {
    throw new UserError(`${told}: ${relative(process.cwd(), kept)} is another run of such a machine on that day; remove it first, or keep that one`);
  }
}

/** @param {string} run unzipped */
async function keepRun(run) {
  const { spec } = openBundle(run);
  const kept = join(machinesOf(spec.experiment), nameMachine(spec));
  await keepBundle(run, kept);
  await drawRecord({ experiment: spec.experiment, profile: 'default' });
  console.log(`${relative(process.cwd(), kept)}: ${describeMachine(spec.environment)} stands beside the record now`);
}
