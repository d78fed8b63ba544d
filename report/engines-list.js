/** `make engines`: lists the engines, one line each, from their engine.toml. */
import { formatTable } from '../harness/common/format.js';
import { listEngines, readEngine, readRuntime } from '../harness/spec/engines.js';

const COLUMNS = ['name', 'engine', 'era', 'language', 'processes', 'protocol', 'idiom'];

/** @param {boolean} [asJson] @returns {string} */
export function describeEngines(asJson = false) {
  const rows = listEngines().map(readEngine).map(({ name, title, era, runtime, idiom = '', dialect, roles }) =>
    [name, title, era, readRuntime(runtime).language, Object.keys(roles).join(' + '), dialect, idiom]);
  if (asJson) return JSON.stringify(rows.map((row) => Object.fromEntries(row.map((cell, index) => [COLUMNS[index], cell]))), null, 2);
  return formatTable(COLUMNS, rows);
}
