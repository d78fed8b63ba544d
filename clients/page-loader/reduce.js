/**
 * Reduces page loads (clients/CONTRACT.md, Reduction) to the metrics of generator.toml and to tables: all loads, the
 * requests of some, and captured bytes.
 */
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';
import { CAPTURED_COLUMNS, captureMetrics, listCaptured } from './captured.js';
import { computeLoads } from './loads.js';

/**
 * @param {import('../../analysis/trials/own.js').Given} given
 * @returns {import('../../analysis/trials/own.js').Reduced}
 */
export function reduce({ raw }) {
  const loads = readTsv(join(raw, 'client/loads.tsv'));
  if (loads.length === 0) return {};
  // Timeouts only: the waterfalls of the other scenarios look alike. Two workflows exist only for files
  const waterfall = readTsv(join(raw, 'client/waterfall.tsv')).filter(
    ({ scenario, workflow }) => scenario === 'timeouts' || (scenario === 'files' && /^(binary|websocket)$/.test(workflow)),
  );
  const packets = readTsv(join(raw, 'wire/packets.tsv'));
  const captured = packets.length ? listCaptured(readTsv(join(raw, 'host.tsv')), loads, packets) : [];
  return {
    metrics: [...computeLoads(loads), ...captureMetrics(captured)],
    tables: {
      loads: { columns: Object.keys(loads[0]), rows: loads },
      waterfall: { columns: ['load', 'scenario', 'x', 'workflow', 'request', 'begin_ms', 'first_ms', 'end_ms'], rows: waterfall },
      ...(packets.length && { captured: { columns: CAPTURED_COLUMNS, rows: captured } }),
    },
  };
}
