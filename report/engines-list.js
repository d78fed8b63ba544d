/** `make engines`: what there is to measure, a line an engine, from their own engine.toml. */
import { formatTable } from '../harness/common/format.js';
import { listEngines, readEngine, readRuntime } from '../harness/spec/engines.js';

/** @returns {string} */
export function describeEngines() {
  const rows = listEngines().map(readEngine).map(({ name, title, era, runtime, idiom = '', dialect, roles }) =>
    [name, title, era, readRuntime(runtime).language, Object.keys(roles).join(' + '), dialect, idiom]);
  return formatTable(['ENGINE=', 'engine', 'era', 'language', 'processes', 'protocol', 'idiom'], rows);
}
