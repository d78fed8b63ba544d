/**
 * The server's CPU by rate, connections and size. An elasticity is by how many per cent the CPU grows when a parameter
 * grows by one: the exponent of a power law. Over a narrow range of sizes it is a local one, over a wide range a mean.
 * The rate is the measured one: a window that is no multiple of the period holds more messages of some connections than
 * of others.
 */
import { group } from 'd3-array';
import { formatSetting, settingsIn } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{period_ms: number, connections: number, payload_b: number, due_hz: number}} Parameters */

/** What tells points of one range apart; where one of them does not vary there is nothing to fit. */
const VARIED = /** @type {const} */ (['period_ms', 'connections', 'payload_b']);

/**
 * @param {Row} row
 * @param {Map<string, string>} connections
 * @param {Map<string, string>} due_hz
 * @returns {Parameters}
 */
const readParameters = (row, connections, due_hz) => ({
  period_ms: Number(row['setting.period_ms'] ?? 0),
  payload_b: Number(row['setting.payload_b'] ?? 0),
  connections: Number(connections.get(row.trial) ?? 0),
  due_hz: Number(due_hz.get(row.trial) ?? 0),
});

/**
 * @param {Row[]} trials of trials.tsv
 * @param {string[]} ranges of sizes in bytes, ends included, such as "81-4000": one fit for each
 * @returns {import('../../analysis/points/fits.js').Datum[]} x are the logarithms of the rate per connection, of the
 *   connections and of the size
 */
export function listElasticities(trials, ranges) {
  const valuesOf = (/** @type {string} */ name) =>
    new Map(trials.filter(({ metric }) => metric === name).map(({ trial, value }) => [trial, value]));
  const [connections, due_hz] = [valuesOf('connections'), valuesOf('due_hz')];
  const cores = trials.filter(({ metric, value }) => metric === 'server_cpu_cores' && Number(value) > 0);
  const data = cores.flatMap((row) => {
    const parameters = readParameters(row, connections, due_hz);
    if (!Object.values(parameters).every((value) => value > 0)) return [];
    const x = [parameters.due_hz / parameters.connections, parameters.connections, parameters.payload_b].map(Math.log);
    const { era, engine, workload, trial, block } = row;
    const { payload_b: _b, period_ms: _ms, client_processes: _clients, connections: _connections, ...others } = settingsIn(row);
    return ranges
      .filter((range) => isWithin(parameters.payload_b, range))
      .map((range) => ({
        law: 'elasticity',
        era,
        engine,
        workload,
        setting: formatSetting({ ...others, payload_b: range }),
        x,
        trial,
        at: row.setting,
        value: Number(row.value),
        block,
        parameters,
      }));
  });
  const groups = group(data, ({ era, engine, workload, setting }) => [era, engine, workload, setting].join('\t'));
  const isVaried = (/** @type {typeof data} */ rows) =>
    VARIED.every((name) => new Set(rows.map(({ parameters }) => parameters[name])).size > 1);
  const varied = new Set([...groups.values()].filter(isVaried).flat());
  return data.filter((datum) => varied.has(datum));
}

/** @param {number} size_b @param {string} range */
function isWithin(size_b, range) {
  const [least, most] = range.split('-').map(Number);
  return size_b >= least && size_b <= most;
}
