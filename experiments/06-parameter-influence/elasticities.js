/**
 * The server's CPU use as a function of rate, connections and size. An elasticity says by how many per cent the CPU use
 * grows if a parameter grows by 1 %: the exponent of a power law. Over a narrow range of sizes it is local, over a wide range
 * a mean. We use the measured rate: if the window is not a multiple of the period, it has more messages from some connections
 * than from others.
 */
import { group } from 'd3-array';
import { nameOfPoint } from '../../analysis/points/points.js';
import { formatSetting, settingsIn } from '../../harness/common/setting.js';

/** Parameters that must vary within a range; otherwise there is no fit. */
const VARIED = /** @type {const} */ (['period_ms', 'connections', 'payload_b']);

/**
 * @param {Record<string, string>[]} trials of trials.tsv
 * @param {string[]} ranges of sizes in bytes, inclusive, such as "81-4000": one fit for each
 * @param {string[]} [chords] such as "1000-500000": one fit for each, of the trials at its two ends. No power law holds in between,
 *   and its misfit is no error of the trials
 * @returns {import('../../analysis/points/fits.js').Datum[]} x: logarithms of the rate per connection, the number of
 *   connections and the size
 */
export function listElasticities(trials, ranges, chords = []) {
  const valuesOf = (/** @type {string} */ name) =>
    new Map(trials.filter(({ metric }) => metric === name).map(({ trial, value }) => [trial, Number(value)]));
  const [connectionsOf, dueOf] = [valuesOf('connections'), valuesOf('due_hz')];
  const cores = trials.filter(({ metric, value }) => metric === 'server_cpu_cores' && Number(value) > 0);
  const data = cores.flatMap((row) => {
    const { era, engine, workload, trial, block, value } = row;
    const { period_ms = '0', payload_b = '0', client_processes: _clients, ...rest } = settingsIn(row);
    const parameters = { period_ms: Number(period_ms), payload_b: Number(payload_b), connections: connectionsOf.get(trial) ?? 0 };
    const due_hz = dueOf.get(trial) ?? 0;
    if (![...Object.values(parameters), due_hz].every((each) => each > 0)) return [];
    const x = [due_hz / parameters.connections, parameters.connections, parameters.payload_b].map(Math.log);
    const own = [
      ...ranges.filter((range) => isWithin(parameters.payload_b, range)),
      ...chords.filter((chord) => endsOf(chord).includes(parameters.payload_b)),
    ];
    return own.map((range) => ({
      law: 'elasticity', era, engine, workload, setting: formatSetting({ ...rest, payload_b: range }), x, value: Number(value), block,
      parameters,
    }));
  });
  const isVaried = (/** @type {typeof data} */ rows) =>
    VARIED.every((name) => new Set(rows.map(({ parameters }) => parameters[name])).size > 1);
  const varied = new Set([...group(data, (datum) => nameOfPoint(/** @type {any} */ (datum))).values()].filter(isVaried).flat());
  return data.filter((datum) => varied.has(datum));
}

/** @param {string} range */
const endsOf = (range) => range.split('-').map(Number);

/** @param {number} size_b @param {string} range */
function isWithin(size_b, range) {
  const [least, most] = endsOf(range);
  return size_b >= least && size_b <= most;
}
