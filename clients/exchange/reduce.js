/**
 * Reduces the captured packets of a script to bytes by step, direction and layer, and to the metrics of the claims
 * (clients/CONTRACT.md, Reduction).
 */
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';
import { SUMS, sumPackets } from './packets.js';

/** @typedef {[string, number][]} Metrics */
/** @typedef {import('./packets.js').Step} Step */

/** @param {number} a @param {number} b */
const distance = (a, b) => Math.abs(a - b);

/** @param {Step} row @returns {Metrics} named as in generator.toml; a header's size only if the message is one frame */
function describeStep({ step, direction, ...sums }) {
  if (step === 'handshake') return [[`handshake_${direction}_b`, sums.http_b]];
  const [, size_b] = /^binary-([0-9]+)$/.exec(step) ?? [];
  if (size_b) return sums.frames === 1 ? [[`header_${direction}_b_${size_b}`, sums.websocket_b]] : [];
  if (!/^(single|corked|batched)$/.test(step)) return [];
  const isRecord = step === 'single' && direction === 'up' && sums.records > 0;
  return [
    [`${step}_${direction}_b`, sums.segments_b],
    [`${step}_${direction}_segments`, sums.segments],
    ...(isRecord ? [/** @type {[string, number]} */ (['tls_record_b', sums.tls_b / sums.records])] : []),
    [`${step}_${direction}_overhead_b`, sums.segments_b - sums.payload_b],
  ];
}

/**
 * Distance in bytes between the capture and RFC 6455, section 5.2, without TLS and compression. Compares the bytes other than
 * payload with the header of each frame, the payload with the size that was sent, and the handshake with its HTTP.
 * @param {Step} row @returns {number}
 */
function excessOf({ step, ...sums }) {
  if (step === 'handshake') return distance(sums.websocket_b, 0);
  if (/^(heartbeat|close)$/.test(step)) return distance(sums.websocket_b, sums.formula_b);
  const size_b = Number(/^(?:text|binary)-([0-9]+)$/.exec(step)?.[1] ?? NaN);
  return Number.isNaN(size_b) ? 0 : distance(sums.websocket_b, sums.formula_b) + distance(sums.payload_b, size_b);
}

/**
 * @param {Step[]} steps
 * @param {Record<string, string>} settings
 * @returns {Metrics} fragments_max: the most frames of one step's message, over the text and binary steps
 */
export function describeWire(steps, { deflate = 'off', tls = 'none' }) {
  const messages = steps.filter(({ step }) => /^(text|binary)-/.test(step)); // none from a client that only opens and closes
  const isPlain = deflate !== 'on' && tls === 'none';
  const excess_b = steps.reduce((sum, row) => sum + excessOf(row), 0);
  return [
    ...steps.flatMap(describeStep),
    ...(messages.length ? [/** @type {[string, number]} */ (['fragments_max', Math.max(...messages.map(({ frames }) => frames))])] : []),
    ...(isPlain && messages.length ? [/** @type {[string, number]} */ (['frame_excess_b', excess_b])] : []),
  ];
}

/**
 * @param {import('../../analysis/trials/own.js').Given} given
 * @returns {import('../../analysis/trials/own.js').Reduced}
 */
export function reduce({ raw, settings }) {
  const packets = readTsv(join(raw, 'wire/packets.tsv'));
  if (packets.length === 0) return {};
  const steps = sumPackets(packets);
  return {
    tables: { wire: { columns: ['step', 'direction', ...SUMS, 'websocket_b', 'tls_b'], rows: steps } },
    metrics: describeWire(steps, settings),
  };
}
