/** The schema of experiment.toml. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../common/files.js';
import { PLACEMENT_SCHEMA } from '../../common/placements.js';
import { CLIENTS } from '../../common/places.js';
import { schemaOfArrivals } from '../arrivals.js';
import { BEHAVIOURS } from '../behaviours.js';
import { schemaOfSettings } from '../settings.js';
import {
  BOOLEAN, DAY_MS, NAME, NAMES, OPTION, ROLE, SHARE, TEXT, WORD,
  complete, distinct, list, matching, number, pair, positive, table, tableOf, whole,
} from './pieces.js';

const PROFILES = distinct({ enum: ['quick', 'default', 'paper'] });
const METRIC = matching('^[a-z][a-z0-9_.]{0,127}$', 'a name of a metric (a to z, 0 to 9, "_" and ".")');
const VALUES = distinct({
  type: ['string', 'number'], pattern: '^[a-z0-9][a-z0-9.-]{0,63}$', minimum: 0, maximum: 1000000000,
  description: 'a value of a setting (a to z, 0 to 9, "." and "-", 64 at most)',
});

/** A list, or every engine that speaks one of some dialects and has the behaviour asked of it. */
const ENGINES = { if: { type: 'array' }, then: NAMES, else: complete({ dialects: NAMES }) };

const LOAD = table(['behaviour', 'client_processes', 'late_ms', 'drain_s'], {
  behaviour: { enum: BEHAVIOURS },
  generator: NAME, companion: NAME, per_client: BOOLEAN, record_connections: BOOLEAN,
  client_processes: whole(1, 256), client_threads: { enum: ['free'] }, late_ms: positive(3600000), drain_s: number(0, 60),
  payload: complete({ type: { enum: ['text', 'binary'] }, bytes: whole(1, 16777216) }),
});

const SEARCH = {
  ...table(['probe_s', 'resolution', 'p99_ms_max', 'generator_cpu_max'], {
    connections: whole(1, 10000), ramp_s: whole(1, 600), probe_s: whole(1, 600), resolution: number(0.01, 0.25),
    p99_ms_max: positive(60000), generator_cpu_max: positive(1), step_share_max: positive(1), measured_share: positive(1),
  }),
  dependencies: { connections: ['ramp_s'], ramp_s: ['connections'] },
};

/** @returns {import('./pieces.js').Schema} with the keys that one client takes, as it declares them */
const schemaOfWorkload = () => table(['arrivals'], {
  arrivals: schemaOfArrivals(),
  search: SEARCH,
  reconnect: complete({ delay_ms: number(1, DAY_MS), jitter_ms: number(0, DAY_MS) }),
  hold_s: whole(1, 86400),
  warmup_s: { type: ['number', 'object'], minimum: 0, maximum: 60, propertyNames: NAME, additionalProperties: number(0, 60) },
  ...Object.assign({}, ...globSync(join(CLIENTS, '*/workload.schema.json')).map((path) => readJson(path))),
});

const PROFILE = table(['repeats', 'warmup_s', 'connections', 'connect_rate_hz', 'settle_s', 'hold_s'], {
  repeats: whole(1, 1000), warmup_s: number(0, 60), connections: whole(1, 1000000), connect_rate_hz: positive(100000),
  settle_s: whole(0, 3600), engines: NAMES, hold_s: whole(1, 86400),
});

const VALIDITY = table([
  'generator_cpu_max', 'late_share_max', 'rate_error_max', 'local_losses_max', 'wrong_max', 'littles_law_error_max', 'steal_share_max',
  'clock_step_ms_max', 'foreign_cpu_share_max', 'mark_late_share_max', 'top_error_max',
], {
  generator_cpu_max: positive(1000000),
  late_share_max: SHARE, rate_error_max: SHARE,
  local_losses_max: whole(0, 1000000), wrong_max: whole(0, 1000000),
  littles_law_error_max: SHARE, steal_share_max: SHARE,
  clock_step_ms_max: number(0, 3600000),
  foreign_cpu_share_max: SHARE, foreign_cpu_ramp_share_max: SHARE,
  mark_late_share_max: SHARE, server_wait_share_max: SHARE, top_error_max: SHARE,
  warnings_max: whole(0, 10),
});

const PRECISION = complete({
  ratio_half_width: positive(1),
  looks: { ...distinct(whole(3, 1000)), minItems: 2, maxItems: 10 },
  budget_min: positive(100000),
});

const BOUND = number(-1000000000000, 1000000000000);
const PUBLISHED = positive(1000000000000);
const SETTING = matching(
  '^(-|[a-z][a-z_]*=[a-z0-9.+-]+(,[a-z][a-z_]*=[a-z0-9.+-]+)*)$', 'a setting, such as "connections=400,tls=1.3", or "-" for none',
);

const CLAIM = table(['id', 'compare'], {
  id: matching('^[A-Z]{1,4}[0-9]{1,4}[a-z]?$', 'an id of a claim (A to Z, then digits, such as "T1", and a letter of a part, as in "T7a")'),
  metric: METRIC,
  above: BOUND, below: BOUND, reaches: BOUND,
  holds: pair(BOUND, positive(1000000)),
  between: pair(BOUND, { allOf: [BOUND], exclusiveMinimum: { $data: '1/0' } }),
  workload: NAMES,
  rows: { enum: ['all', 'any'] },
  any_link: BOOLEAN, any_load: BOOLEAN,
  in_use: { ...list(positive(1024)), minItems: 2, maxItems: 2 },
  published: PUBLISHED, computed: TEXT, decides: BOOLEAN, reduced: TEXT, reduced_in_paper: BOOLEAN,
  source: table([], {
    connections: whole(1, 1000000), period_ms: positive(DAY_MS), connect_rate_hz: positive(86400000), hold_s: positive(86400000),
    generator: NAME, client_processes: whole(1, 256),
    processes: { type: 'string', pattern: '^[0-9]+([+][0-9]+)*$' },
  }),
  profiles: PROFILES,
  metrics: distinct(METRIC),
  variants: list(table(['name', 'at'], { name: TEXT, at: SETTING, to_at: SETTING })),
  compare: {
    type: 'array',
    items: table(['era', 'of'], {
      era: { enum: ['2014', 'today'] },
      of: NAME, to: NAME, at: SETTING, to_at: SETTING, metric: METRIC, to_metric: METRIC, variant: TEXT, published: PUBLISHED,
    }),
  },
});

/** @returns {import('./pieces.js').Schema} */
export function schemaOfExperiment() {
  const settings = schemaOfSettings();
  return table(['title', 'source', 'question', 'axes', 'load', 'workloads', 'profiles', 'validity', 'claims'], {
    title: TEXT, source: TEXT, question: TEXT,
    axes: complete({ engine: ENGINES, workload: NAMES }),
    beside: list(NAMES), // of each list, the engines that are compared with the first: their trials are neighbours
    points: list({
      ...tableOf(OPTION, VALUES),
      properties: {
        engine: NAMES, workload: NAMES, repeats_max: whole(1, 1000), repeats_max_in_paper: BOOLEAN,
        needs_cores: whole(2, 1024), load_cores: whole(1, 1024), cores_max: whole(1, 1024), profiles: PROFILES, ...settings,
      },
    }),
    reference: table(['engine', 'points'], {
      engine: NAME,
      shown: distinct(METRIC),
      points: list(table(['workload'], { workload: NAMES, serves: NAMES, profiles: PROFILES, ...settings })),
    }),
    cores: complete({ placement: PLACEMENT_SCHEMA }),
    processes: tableOf(NAME, tableOf(ROLE, whole(0, 256))),
    options: tableOf(NAME, tableOf(OPTION, NAME)),
    settings: tableOf(OPTION, table(['client', 'usual', 'meaning', 'words'], {
      client: WORD, values: VALUES, minimum: whole(0, { $data: '1/maximum' }), maximum: whole(0, 1000000000),
      usual: TEXT, meaning: TEXT, words: TEXT,
    })),
    libraries: tableOf(NAME, NAME),
    load: LOAD,
    network: table(['kind'], { kind: { enum: ['veth'] }, capture: BOOLEAN, congestion: WORD }),
    workloads: { ...tableOf(NAME, schemaOfWorkload()), minProperties: 1 },
    profiles: complete({ quick: PROFILE, default: PROFILE, paper: PROFILE }),
    validity: VALIDITY,
    precision: PRECISION,
    claims: { type: 'array', items: CLAIM },
  });
}
