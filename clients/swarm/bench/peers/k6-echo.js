/* global __ENV -- k6's own */
/**
 * bench-swarm's closed loop on k6, with k6/ws, the faster of its two modules here. Each virtual user holds one connection and sends
 * the next message when an answer comes. k6 counts all messages itself. Those of the window are counted in a variable, which is
 * cheaper than a metric.
 *
 *     k6 run -e URL=ws://127.0.0.1:20000 -e CONNECTIONS=100 -e RAMP_MS=2000 -e WINDOW_MS=2000 -e SUMMARY=summary.json k6-echo.js
 */
import ws from 'k6/ws';
import { Counter } from 'k6/metrics';

const MESSAGE = 'x'.repeat(Number(__ENV.BYTES));
const RAMP_MS = Number(__ENV.RAMP_MS);
const WINDOW_MS = Number(__ENV.WINDOW_MS);

const received = new Counter('received_in_window');
const held = new Counter('held_through_window');

export const options = {
  scenarios: {
    echo: {
      executor: 'per-vu-iterations',
      vus: Number(__ENV.CONNECTIONS),
      iterations: 1,
      maxDuration: `${RAMP_MS + WINDOW_MS + 10000}ms`,
    },
  },
};

/** Runs when all virtual users exist. @returns {number} start of the window, ms of the wall clock */
export function setup() {
  return Date.now() + RAMP_MS;
}

/** @param {number} fromMs */
export default function echo(fromMs) {
  ws.connect(__ENV.URL, {}, (socket) => {
    let count = 0;
    socket.on('message', () => {
      count++;
      socket.send(MESSAGE);
    });
    socket.on('open', () => {
      const leftMs = fromMs - Date.now();
      if (leftMs > 0) {
        socket.setTimeout(() => {
          count = 0;
          held.add(1);
        }, leftMs);
      }
      socket.setTimeout(() => {
        received.add(count);
        socket.close();
      }, leftMs + WINDOW_MS);
      socket.send(MESSAGE);
    });
  });
}

/** @param {{metrics: Record<string, {values: {count: number}} | undefined>}} summary */
export function handleSummary({ metrics }) {
  const count = (name) => metrics[name]?.values.count ?? 0;
  const record = {
    held: count('held_through_window'),
    received: count('received_in_window'),
    received_in_all: count('ws_msgs_received'),
  };
  return { [__ENV.SUMMARY]: JSON.stringify(record) };
}
