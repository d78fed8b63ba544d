import js from '@eslint/js';
import globals from 'globals';

const always = {
  'array-callback-return': 'error',
  curly: ['error', 'multi-line'],
  'default-case-last': 'error',
  eqeqeq: 'error',
  // 120 is the width to aim at (.editorconfig); a message that a person may search for stays on one line.
  'max-len': ['error', { code: 140, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true }],
  // Longer ones want a reason, given beside the comment that switches the rule off.
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 50 }],
  'no-eval': 'error',
  'no-implicit-globals': 'error',
  'no-lonely-if': 'error',
  'no-shadow': 'error',
  'no-throw-literal': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
};

const modern = {
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
};

/**
 * The agent alone starts what is part of a trial, reads its host's /proc and /sys, and knows its clock. What else starts or looks, and why
 * no agent does it; a test fails where an entry is no longer needed.
 * @type {Record<string, string>}
 */
export const STARTS = {
  'harness/run/agent.js': 'the agent itself, which none can start',
  'harness/run/way.js': 'the way to the agent of another host',
  'harness/run/ssh.js': 'its connection, where that is ssh',
  'harness/common/keeper-client.js': 'the keepers of an agent and of the ways to others, which outlive both',
  'harness/common/programs.js': 'filters, gnuplot, git, tar, installations: on the coordinator, to their end, and no process is handed out',
  'harness/common/children.js': 'programs of the suite in the foreground (a run in a duet has an agent of its own), and what installs what a command needs',
  'harness/check/watch-cost/bench.js': 'the programs of a run whose own CPU time it measures, with no server and no load',
};
/** @type {Record<string, string>} */
export const LOOKS = {
  'harness/common/stat.js': 'does the process still run that holds the results folder? Asked before there is an agent; a pid is used again',
};

/** Of the checks, what has the agent's own code rather than ask one. @type {Record<string, string>} */
export const KNOWS = {
  'harness/check/doctor.js': 'it looks how busy this machine is, which an agent that has just been started would make it',
  'harness/check/watch-cost/measured-program.js': 'what an agent counts for Prometheus is what it measures the CPU time of',
};

const startNothing = { name: 'node:child_process', message: 'The agent of a host alone starts processes (harness/agent); what runs to its end beside trials: common/programs.js.' };
const lookAtNothing = ['Literal[value=/^[^a-z](proc|sys)(\\u002f|$)/]', 'TemplateElement[value.raw=/^[^a-z](proc|sys)(\\u002f|$)/]'].map((selector) => (
  { selector, message: 'The agent of a host alone reads its /proc and /sys (harness/agent).' }
));
const noClock = {
  selector: 'MemberExpression[object.name="process"][property.name=/^(hrtime|kill)$/]',
  message: 'The agent of a host alone knows its clock, and signals its processes (harness/agent).',
};

const ofNoAgent = { regex: '^(\\.\\./)+agent/', message: 'The agent is asked (run/agent.js), and nothing of it imported (harness/agent/PROTOCOL.md).' };

/** What the coordinator has; what it may import besides, test/unit/stages.test.js says. */
const COORDINATOR = ['harness/**/*.js', 'analysis/**/*.js', 'report/**/*.js'];
const stages = [
  { files: ['harness/agent/**/*.js'], rules: { 'no-restricted-imports': 'off' } },
  { files: COORDINATOR, ignores: ['harness/agent/**'], rules: { 'no-restricted-imports': ['error', { paths: [startNothing], patterns: [ofNoAgent] }] } },
  { files: Object.keys(STARTS), rules: { 'no-restricted-imports': ['error', { patterns: [ofNoAgent] }] } },
  { files: Object.keys(KNOWS), rules: { 'no-restricted-imports': ['error', { paths: [startNothing] }] } },
  { files: COORDINATOR, ignores: ['harness/agent/**'], rules: { 'no-restricted-syntax': ['error', ...lookAtNothing, noClock] } },
  { files: Object.keys(LOOKS), rules: { 'no-restricted-syntax': ['error', noClock] } },
];

export default [
  { ignores: ['**/node_modules/', '**/venv/', 'runtimes/*/bin/', 'runtimes/*/target/', 'results/', 'clients/swarm/target/', 'clients/serial/**/target/', 'servers/**/target/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  { rules: always },
  {
    // The suite itself, on the pinned current Node.
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'module', globals: globals.nodeBuiltin },
    rules: modern,
  },
  ...stages,
  {
    // Engines of today are written as their own guides show them.
    files: ['servers/**/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'commonjs', globals: globals.node },
    rules: modern,
  },
  {
    // What runs on Node 0.10 knows ECMAScript 5 alone, and typed arrays.
    files: ['**/*.cjs', 'servers/*-201[45]/**/*.js'],
    languageOptions: {
      ecmaVersion: 5,
      sourceType: 'commonjs',
      globals: { ...globals.node, ArrayBuffer: 'readonly', DataView: 'readonly', Uint8Array: 'readonly', Uint32Array: 'readonly' },
    },
    rules: {
      ...Object.fromEntries(Object.keys(modern).map((rule) => [rule, 'off'])),
      // `catch` without a name came with ECMAScript 2019.
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
    },
  },
  {
    // A suite of tests is one long function that calls `test`.
    files: ['test/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
];
