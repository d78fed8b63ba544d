/** Commands that answer an engineer's questions from the results. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UserError } from '../../common/failure.js';
import { parseCount, parseNames, parseRate, parseSeed } from '../../common/options.js';
import { ROOT } from '../../common/places.js';
import { OPTIONS as O } from '../options.js';
import { BUNDLE, MEASURES, RECORD, REDUCES, checkReduced, command } from './command.js';

/** @param {string[]} folders @param {string[]} [names] engines, or pairs such as ws=gorilla @throws {UserError} */
function checkFolders(folders, names = []) {
  const ofNames = names.flatMap((name) => folders.map((folder, index) => join(folder, name.split('=')[index] ?? name, 'engine.toml')));
  const problems = [
    ...folders.filter((folder) => !existsSync(folder)).map((folder) => `${folder}: no such folder; give one of engines, such as servers`),
    ...ofNames.filter((path) => !existsSync(path)).map((path) => `${dirname(path)}: holds no engine.toml, so it is not an engine; give engines that both folders have`),
  ];
  if (problems.length) throw new UserError([...new Set(problems)]);
}

/** The record of all engines: the default to read. */
const USUAL_RECORD = relative(process.cwd(), join(ROOT, 'records/16-engines/default'));

/** @param {Record<string, string | undefined>} given options */
const selectionOf = ({ engines, connections, bytes }) =>
  ({ engines: parseNames(engines), connections: parseCount('CONNECTIONS', connections, 7), payload_b: parseCount('BYTES', bytes, 7) });

/** @param {{rate?: string, from?: string}} given @returns {Promise<void>} @throws {UserError} */
function checkAsked({ rate, from }) {
  parseRate(rate);
  return checkReduced(from);
}

export default [
  command('Choosing', {
    name: 'rank', summary: 'sort engines by what a message costs at your load; by the records, or a run of your own', operands: ['[FROM]'],
    options: [O.rate, O.connections, O.bytes, O.engines, O.language, O.json], needs: ['records'],
    examples: ['rank --rate 5000', "rank --rate 5000 --engines 'ws gorilla'", 'rank --rate 5000 --connections 10000 --bytes 4096 --language Node.js', 'rank records/03-engineio-vs-socketcluster/default --rate 2000 --json'],
    check: ({ rate }, [from]) => checkAsked({ rate, from }),
    run: async ({ rate, language, json, ...given }, [from = USUAL_RECORD]) => {
      const { describeRanks, ranksAsJson } = await import('../../../report/rank.js');
      console.log((json ? ranksAsJson : describeRanks)(from, { total_rate_hz: parseRate(rate), language, ...selectionOf(given) }));
    },
  }),
  command('Choosing', {
    name: 'processes', summary: 'print how many processes of each role a load needs',
    options: [O.rate, O.load, O.members, O.connections, O.bytes, O.engines, O.language, O.from, O.json], needs: ['records'],
    examples: ['processes --rate 20000', "processes --rate 20000 --load 0.8 --engines 'ws gorilla'", 'processes --rate 2000 --members 50'],
    check: checkAsked,
    run: async ({ rate, load = '0.7', members, language, from, json, ...given }) => {
      const { describeProcesses, processesAsJson } = await import('../../../report/count-processes.js');
      const wanted = { total_rate_hz: parseRate(rate), load: Number(load), members: parseCount('MEMBERS', members, 7), language, ...selectionOf(given) };
      console.log((json ? processesAsJson : describeProcesses)(from, wanted));
    },
  }),
  command('Choosing', {
    name: 'numbers', summary: 'print one metric of every engine, by the records or a run of your own; without METRIC, list what is measured',
    operands: ['[METRIC]', '[FROM]'], options: [O.engines, O.workload, O.onlyConnections, O.onlyBytes, O.json], needs: ['records'],
    examples: ['numbers memory_b_per_idle_connection', "numbers latency_p99_ms --workload fanout --engines 'ws gorilla'", `numbers server_cpu_s_per_1k ${RECORD}`],
    check: ({ json: _json, ...filters }, [metric, from]) => {
      const [unused] = Object.keys(filters);
      if (metric === undefined && unused) throw new UserError(`${unused.toUpperCase()}: without a METRIC there are no numbers to choose from; name one, such as memory_b_per_idle_connection`);
      return checkReduced(from);
    },
    run: async ({ workload, json, ...given }, [metric, from = USUAL_RECORD]) => {
      const { describeDictionary, describeNumbers, dictionaryAsJson, numbersAsJson } = await import('../../../report/numbers.js');
      if (metric === undefined) return console.log((json ? dictionaryAsJson : describeDictionary)());
      console.log((json ? numbersAsJson : describeNumbers)(from, metric, { workload, ...selectionOf(given) }));
    },
  }),
  command('Choosing', {
    name: 'dollars', summary: "print what messages and connections cost at Amazon's prices; with --rate, what a month of your load costs", operands: ['[FROM]'],
    options: [O.rate, O.engines, O.workload, O.onlyConnections, O.onlyBytes, O.json], needs: ['records'],
    examples: ["dollars --rate 2000 --connections 10000 --bytes 1024 --engines 'ws gorilla'", "dollars --engines 'ws gorilla' --workload sweep"],
    check: ({ rate, workload }, [from]) => {
      if (rate !== undefined && workload) throw new UserError('WORKLOAD: a month is priced by the sweeps; leave it out');
      return rate === undefined ? checkReduced(from) : checkAsked({ rate, from });
    },
    run: async ({ rate, workload, json, ...given }, [from = USUAL_RECORD]) => {
      if (rate !== undefined) {
        const { billAsJson, describeBill } = await import('../../../report/bill.js');
        return console.log((json ? billAsJson : describeBill)(from, { total_rate_hz: parseRate(rate), ...selectionOf(given) }));
      }
      const { describeDollars, dollarsAsJson } = await import('../../../report/numbers.js');
      console.log((json ? dollarsAsJson : describeDollars)(from, { workload, ...selectionOf(given) }));
    },
  }),
  command('Choosing', {
    name: 'compare', summary: 'print the ratios of two runs, with intervals', operands: ['<A>', '<B>'], options: [O.same, O.json],
    check: async (_given, both) => both.forEach((await import('../../../analysis/compare/compare.js')).listBundles),
    needs: ['run', ...REDUCES], examples: [`compare ${BUNDLE} ${RECORD}`, `compare ${RECORD} ${RECORD} --same --json`],
    run: async ({ same, json }, [a, b]) => (await import('../../../analysis/compare/compare.js')).compareBundles(a, b, { same, json }),
  }),
  command('Choosing', {
    name: 'duet', summary: 'measure two versions of engines in one run: is one slower?', operands: ['<A>', '<B>'],
    options: [O.engines, O.blocks, O.seed], check: ({ engines }, both) => checkFolders(both, parseNames(engines)), needs: [...MEASURES, 'rust'],
    examples: ['duet servers ../other/servers --engines ws', "duet servers servers --engines ws=gorilla --blocks 40"],
    run: async ({ engines, blocks, seed }, [a, b]) => (await import('../../run/duet/duet.js')).playDuet(a, b, {
      engines: parseNames(engines), blocks: parseCount('BLOCKS', blocks), seed: parseSeed(seed),
    }),
  }),
];
