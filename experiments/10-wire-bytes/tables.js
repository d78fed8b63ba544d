/**
 * Tables computed from wire.tsv, which has bytes by step, direction and layer:
 *
 *   layers.tsv      means over trials, and message_b: the configured size of the payload
 *   batching.tsv    the group's bytes on the wire by layer, and the source's; connection.tsv: opening, heartbeat and close
 *   shares.tsv      each layer's share of a message and its echo, including acknowledgements
 *   judged.tsv      rows of T18: the share of bytes beyond the payload that eight frames in one segment save
 *
 * Figures draw batching, connection and shares as stacked bars: each part goes from from_b to to_b.
 */
import { group, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare, judgedColumns } from '../../analysis/points/comparisons.js';
import { join } from 'node:path';
import { POINT, computePoints, nameOfPoint } from '../../analysis/points/points.js';
import { readTsv } from '../../harness/common/files.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {[part: string, bytes: number][]} Parts of a bar, in order */

const LAYERS = ['packets', 'segments', 'ethernet_b', 'ip_b', 'tcp_b', 'tls_b', 'http_b', 'websocket_b', 'payload_b', 'segments_b', 'wire_b'];
const ETHERNET_B = 14;
const IP_B = 20;
const TLS = ['none', '1.2', '1.3'];

const SAVED = 'batching_saves_share';
/**
 * The source's batch is eight frames in one segment; a single message would save 7/8 by arithmetic.
 * Published: (480 - 70) / 480 plain, (712 - 302) / 712 by the TLS of its time.
 * @type {Record<string, string>}
 */
const SAVED_PUBLISHED = { none: '0.854', 1.2: '0.576' };

/**
 * @param {Row[]} trials of trials.tsv
 * @returns {Row[]} further rows, per trial: the share of bytes beyond the payload saved by writing all messages together
 */
export function listSaved(trials) {
  const single = new Map(trials.filter(({ metric }) => metric === 'single_up_overhead_b').map((row) => [row.trial, Number(row.value)]));
  return trials
    .filter(({ trial, metric }) => metric === 'corked_up_overhead_b' && Number(single.get(trial)) > 0)
    .map((row) => ({ ...row, metric: SAVED, value: digitsOf(1 - Number(row.value) / Number(single.get(row.trial))) }));
}

/** @param {Row[]} trials @param {number} level @returns {Record<string, unknown>[]} rows of judged.tsv */
function judgeSaved(trials, level) {
  const rows = TLS.map((tls) => ({
    claim: 'T18', era: 'today', workload: 'eight', setting: `timestamps=off,tls=${tls}`, metric: SAVED, of: 'ws', to: '-', criterion: '>0.5',
    published: SAVED_PUBLISHED[tls] ?? '-',
  }));
  return compare(rows, listSaved(trials), level);
}

/** @param {Row} row */
const tlsOf = (row) => String(row['setting.tls']);
/** @param {Row[]} rows @param {string} column */
const sumOf = (rows, column) => sum(rows, (row) => Number(row[column]));

/** @param {Parts} parts @returns {{part: string, from_b: number, to_b: number}[]} */
function stack(parts) {
  let from_b = 0;
  return parts.map(([part, bytes]) => ({ part, from_b, to_b: (from_b += bytes) }));
}

/** The name of a layer in a bar. @type {Record<string, string>} */
const WORDS = { ethernet_b: 'Ethernet', ip_b: 'IP', tcp_b: 'TCP', tls_b: 'TLS', http_b: 'HTTP', websocket_b: 'WebSocket', payload_b: 'payload' };

/** @param {Row[]} rows to be summed @param {string[]} layers @returns {Parts} */
const partsOf = (rows, layers) => layers.map((layer) => [WORDS[layer], sumOf(rows, layer)]);

/** @param {Row[]} wire @returns {Record<string, string | number>[]} rows of layers.tsv */
function averageLayers(wire) {
  const values = wire.flatMap((row) =>
    LAYERS.map((layer) => ({ ...row, metric: `${row.step}/${row.direction}/${layer}`, value: row[layer] })));
  const points = /** @type {any[]} */ (computePoints(values)).map((row) => {
    const [step, direction, layer] = row.metric.split('/');
    return { ...row, step, direction, layer };
  });
  return [...group(points, (row) => [nameOfPoint(row), row.step, row.direction].join('\t')).values()].map((rows) => ({
    ...rows[0],
    message_b: /^(text|binary)-(.*)/.exec(rows[0].step)?.[2],
    ...Object.fromEntries(rows.map(({ layer, mean }) => [layer, mean])),
  }));
}

/**
 * The order of bars: the client's messages one by one, written together, and as one message; then each server's answers to the
 * messages written together.
 * @param {Row} row @returns {number} position of its bar, 0 for none
 */
function rankGroup(row) {
  const { step, direction, engine } = row;
  if (direction === 'up' ? engine !== 'ws' : step !== 'corked') return 0;
  const place = step === 'single' ? 0 : step === 'batched' ? 40 : direction === 'up' ? 10 : engine === 'uws' ? 20 : 30;
  return place + 1 + TLS.indexOf(tlsOf(row));
}

/** @param {Row[]} layers @param {Row[]} published */
function listBatching(layers, published) {
  const shown = layers.filter(({ workload, step }) => workload === 'eight' && /^(single|corked|batched)$/.test(step));
  const ranked = shown.filter((row) => rankGroup(row) > 0).sort((a, b) => rankGroup(a) - rankGroup(b));
  return ranked.flatMap((row, index) => {
    const { engine, step, direction } = row;
    const tls = tlsOf(row);
    const [segments, total_b] = [Number(row.segments), Number(row.segments_b)];
    const above = partsOf([row], ['tls_b', 'websocket_b', 'payload_b']);
    const tcp_b = above.reduce((left_b, [, bytes]) => left_b - bytes, total_b - (ETHERNET_B + IP_B) * segments);
    const source = engine === 'uws' || direction === 'up' ? published.find((other) =>
      other.tls === tls && other.step === step && other.direction === direction && other.quantity === 'wire_b') : undefined;
    return stack([['Ethernet', ETHERNET_B * segments], ['IP', IP_B * segments], ['TCP', tcp_b], ...above])
      .map((part) => ({ bar: index + 1, engine, tls, step, direction, ...part, segments, total_b, source_b: Number(source?.value ?? 0) }));
  });
}

/** @param {Row[]} layers of both directions */
function listShares(layers) {
  const shown = layers.filter(({ setting, step }) => setting === '-' && step.startsWith('binary-'));
  return [...group(shown, ({ engine, step }) => `${engine}\t${step}`).values()].flatMap((rows) => {
    const [{ engine, step, message_b }] = rows;
    return stack(partsOf(rows, ['ethernet_b', 'ip_b', 'tcp_b', 'websocket_b', 'payload_b']))
      .map((part) => ({ engine, step, message_b, ...part, wire_b: sumOf(rows, 'wire_b') }));
  });
}

/**
 * @param {Row[]} layers
 * @returns bytes of a connection besides its messages, in both directions. Heartbeat and close only for ws: they are the same for every
 *   server
 */
function listConnection(layers) {
  const shown = layers.filter(({ workload, step, engine }) =>
    workload === 'eight' && (step === 'handshake' || (engine === 'ws' && /^(heartbeat|close)$/.test(step))));
  const rankOf = (/** @type {Row} */ row) =>
    ['handshake', 'heartbeat', 'close'].indexOf(row.step) * 10 + (row.engine === 'ws' ? 0 : 3) + 1 + TLS.indexOf(tlsOf(row));
  return [...group(shown, rankOf)].sort(([a], [b]) => a - b).flatMap(([, rows], index) => {
    const { engine, step } = rows[rows.length - 1];
    const below = partsOf(rows, ['ethernet_b', 'ip_b', 'tcp_b', 'tls_b', 'http_b']);
    return stack([...below, ['WebSocket', sumOf(rows, 'websocket_b') + sumOf(rows, 'payload_b')]]).map((part) => ({
      bar: index + 1, engine, tls: tlsOf(rows[0]), step, ...part, segments: sumOf(rows, 'packets'), total_b: sumOf(rows, 'wire_b'), source_b: 0,
    }));
  });
}

const BAR = ['part', 'from_b', 'to_b'];

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ read, write, level }) {
  const judged = judgeSaved(read('trials'), level);
  write('judged', [...judgedColumns(judged), 'published'], judged);
  const wire = read('wire');
  if (wire.length === 0) return;
  write('layers', [...POINT, 'step', 'direction', 'message_b', 'n', ...LAYERS], averageLayers(wire));
  const layers = read('layers');
  const published = readTsv(join(import.meta.dirname, 'published.tsv'));
  write('batching', ['bar', 'engine', 'tls', 'step', 'direction', ...BAR, 'segments', 'total_b', 'source_b'], listBatching(layers, published));
  write('shares', ['engine', 'step', 'message_b', ...BAR, 'wire_b'], listShares(layers));
  write('connection', ['bar', 'engine', 'tls', 'step', ...BAR, 'segments', 'total_b', 'source_b'], listConnection(layers));
}
