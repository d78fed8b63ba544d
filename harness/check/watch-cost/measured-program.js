/**
 * One of the programs that report or show a run: real code on invented data. It reports its CPU time on request.
 *
 *     node harness/check/watch-cost/measured-program.js coordinator HOSTS | agent PORT | terminal
 */
import { HostMetrics } from '../../agent/exporter.js';
import { readOwnCpu } from '../../common/open-metrics.js';
import { Watch } from '../../watch/server.js';
import { watchRun } from '../../watch/terminal.js';

const RATE_HZ = 1000;

/** @param {string} host @param {number} t_s @returns {import('../../watch/view.js').Second} as sent by an agent */
function inventSecond(host, t_s) {
  const counted = RATE_HZ * (t_s + 1);
  return {
    host, t_s, established: 200, segments_hz: 2 * RATE_HZ, warnings: [],
    cores: { client: 0.31 + (t_s % 7) / 100, worker: 0.52, balancer: 0.44, store: 0.02, agent: 0.01 },
    client: {
      connected: 100, due: counted, sent: counted, received: counted, due_hz: RATE_HZ, sent_hz: RATE_HZ, received_hz: RATE_HZ - (t_s % 5),
      latency_p50_us: 300 + t_s, latency_p99_us: 2000 + t_s,
    },
  };
}

/** @param {(t_s: number) => void} tell each second */
function eachSecond(tell) {
  let t_s = 0;
  setInterval(() => tell(t_s++), 1000);
}

/** Each returns its address, if it has one. @type {Record<string, (operand: string) => Promise<string | undefined>>} */
const ROLES = {
  coordinator: async (hosts) => {
    const watch = await Watch.open(0);
    const names = Array.from({ length: Number(hosts) }, (_, index) => `host-${index + 1}`);
    watch.feed.tell('run', { experiment: '03-invented', title: 'Invented', profile: 'default', bundle: 'results/invented', hosts: names });
    watch.feed.tell('trial', {
      trial: 'b01-invented', engine: 'invented', workload: 'steady', setting: '-', from_s: 1, to_s: 3600, number: 1, total: 1, left_s: 3600,
    });
    eachSecond((t_s) => names.forEach((host) => watch.feed.tell('second', inventSecond(host, t_s))));
    return watch.url;
  },
  agent: async (port) => {
    const metrics = new HostMetrics('host-1');
    const refused = await metrics.listen({ address: '127.0.0.1', port: Number(port) });
    if (refused) throw new Error(refused);
    eachSecond((t_s) => metrics.take({ event: 'second', session: 'b01-invented', ...inventSecond('host-1', t_s) }));
    return `http://127.0.0.1:${port}/`;
  },
  terminal: async () => {
    Object.assign(process.stdout, { isTTY: true }); // makes it draw, as for a user
    watchRun();
    return undefined;
  },
};

const [role, operand] = process.argv.slice(2);
process.on('message', () => process.send?.({ cpu_s: readOwnCpu() }));
process.on('disconnect', () => process.exit());
process.send?.({ url: await ROLES[role](operand) });
