/** The schemas of the parts: engine.toml, client.toml, generator.toml, companion.toml and runtime.toml. */
import { BEHAVIOURS } from '../behaviours.js';
import {
  BOOLEAN, NAME, NAMES, OPTION, ROLE, TEXT, WORD, complete, distinct, list, matching, number, table, tableOf, whole,
} from './pieces.js';

const TRUE = { const: true };
const ARGV = list(TEXT);
const WORDS = distinct(WORD);
const PACKAGE = matching(
  '^@?[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*$', 'a name of a package, as its registry writes it',
);
const DEBIAN = matching(
  '^[a-z0-9][a-z0-9.+-]+(:[a-zA-Z0-9][a-zA-Z0-9._+-]*)?$', 'a package of Debian ("chromium", or "chromium:its-command")',
);
const FILE = matching('^[A-Za-z0-9][A-Za-z0-9._-]*$', 'a file of this folder');
const INPUTS = {
  type: 'array',
  items: matching(
    '^([.][.]/){0,4}[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$', 'a file of the suite, as it is seen from this folder',
  ),
};
const METRICS = {
  ...tableOf(
    { pattern: '^[a-z][a-z0-9_<>]{0,127}$', description: 'a name of a metric (a to z, 0 to 9, "_", and a word in < >)' },
    table(['unit', 'definition'], { unit: TEXT, definition: TEXT, source: TEXT }),
  ),
  minProperties: 1,
};

const MESSAGE_B_MAX = 1073741824;

const ENGINE = table(['name', 'title', 'era', 'package', 'dialect', 'runtime', 'behaviours', 'binary', 'build', 'start', 'roles'], {
  name: NAME, title: TEXT, era: { enum: ['2014', 'today'] }, idiom: TEXT, rebuilt: TEXT,
  package: PACKAGE, dialect: NAME, client: NAME, runtime: NAME,
  behaviours: list({ enum: BEHAVIOURS }),
  binary: BOOLEAN, extensions: WORDS,
  min_message_b: whole(1, MESSAGE_B_MAX),
  max_message_b: { ...whole({ $data: '1/min_message_b' }, MESSAGE_B_MAX), exclusiveMinimum: 0 },
  limits: complete({ message_b: whole(1, MESSAGE_B_MAX), unsent_b: whole(0, MESSAGE_B_MAX) }),
  ci: BOOLEAN, build: ARGV, build_inputs: INPUTS, build_lists_packages: TRUE, start: ARGV,
  roles: {
    ...tableOf(ROLE, complete({
      min: whole(0, { $data: '1/max' }), max: whole(1, 256), default: whole({ $data: '1/min' }, { $data: '1/max' }),
      descriptors_per_connection: number(0, 100),
    })),
    minProperties: 1,
  },
  options: tableOf(OPTION, table(['values', 'default'], {
    values: NAMES,
    default: { enum: { $data: '1/values' } },
    parts: tableOf(NAME, table(['folder', 'runtime', 'build'], {
      folder: matching(
        '^([.][.]/)?[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$', 'a folder of servers/, as it is seen from this one',
      ),
      runtime: NAME, build: ARGV, build_inputs: INPUTS,
    })),
  })),
});

const CLIENT = table(['name', 'dialect', 'package', 'runtime', 'binary', 'build'], {
  name: NAME, dialect: NAME, package: PACKAGE, runtime: NAME, binary: BOOLEAN, build: ARGV, build_inputs: INPUTS, start: ARGV,
});

const GENERATOR = table(['name', 'runtime', 'start', 'behaviours', 'arrivals'], {
  name: NAME, runtime: NAME, dialects: NAMES, build: ARGV, build_inputs: INPUTS, start: ARGV,
  uses: tableOf(NAME, { type: 'string', pattern: '^clients(/[a-z0-9][a-z0-9.-]*)+$' }),
  named_by: { type: 'string', pattern: '^[a-z][a-z_]*([.][a-z][a-z_]*)*$' },
  packages: list(DEBIAN),
  usual: TRUE, behaviours: WORDS, arrivals: WORDS, takes: WORDS, probes: TRUE, rounds: TRUE,
  metrics: METRICS, reduce: FILE, derive: FILE,
});

const COMPANION = table(['name', 'runtime', 'start'], {
  name: NAME, runtime: NAME, packages: list(DEBIAN), build: ARGV, build_inputs: INPUTS, start: ARGV, metrics: METRICS, reduce: FILE,
});

const RUNTIME = table(['language', 'version', 'package_version', 'build_path'], {
  language: matching('^[A-Za-z][A-Za-z0-9.+#-]{0,31}$', 'a name of a language, without spaces'),
  comment: matching('^[!-~]{1,3}$', 'how a line of comment begins (1 to 3 characters)'),
  version: ARGV, version_prefix: TEXT, pinned: TEXT, package_version: ARGV,
  build_path: { type: 'array', uniqueItems: true, items: NAME },
});

export const PARTS = { engine: ENGINE, client: CLIENT, generator: GENERATOR, companion: COMPANION, runtime: RUNTIME };
