/** `make TARGET NAME=value` runs a command of ./wscale. An unknown target or variable is refused, with the nearest. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../harness/cli/program.js';
import { ROOT } from '../../harness/common/places.js';
import { askMake, callMake } from '../make.js';

test('a variable that the command does not take is refused, with the nearest name', () => {
  assert.throws(() => askMake(['experiment-3', 'PROFIL=quick']), { message: /^run: PROFIL is none of its variables; did you mean PROFILE\? It takes PROFILE, GENERATOR, / });
  assert.throws(() => askMake(['experiment-3', 'TRIALS=3']), { message: /TRIALS is none of its variables; it takes PROFILE, / });
  assert.throws(() => askMake(['lint', 'A=1']), { message: /A is none of its variables; it takes none/ });
});

test('each command has a target, which refuses a variable that it does not take; each target is a command', () => {
  const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
  const named = /** @type {RegExpExecArray} */ (/^targets := ((?:.*\\\n)*.*)$/m.exec(makefile))[1].split(/[\s\\]+/);
  const others = ['experiment-3', 'check-server', 'check-servers', 'ec2-up', 'ec2-run', 'ec2-list', 'ec2-down'];
  const reached = new Set([...named, ...others].map((target) => {
    assert.throws(() => askMake([target, 'WSCALE_NONE=1']), { message: /WSCALE_NONE is none of its variables/ }, target);
    const { argv } = askMake([target]);
    return COMMANDS.find(({ name }) => `${argv.join(' ')} `.startsWith(`${name} `))?.name;
  }));
  // These have no target: they are for other programs, or for writing a manifest
  assert.deepEqual(COMMANDS.map(({ name }) => name).filter((name) => !reached.has(name)), ['validate', 'record import', 'hosts kubernetes', 'versions']);
});

test('variables that the command takes are its options and operands, whatever their values hold', () => {
  assert.deepEqual(askMake(['duet', 'A=x', 'B=y', 'ENGINES=ws engine.io=a B=c']).argv, ['duet', '--engines=ws engine.io=a B=c', '--', 'x', 'y']);
  assert.deepEqual(askMake(['experiment-03-engineio-vs-socketcluster', 'PROFILE=quick', 'RESUME=1']).argv,
    ['run', '03-engineio-vs-socketcluster', '--profile=quick', '--resume']);
  assert.deepEqual(askMake(['experiment-3', 'RESUME=0', 'ENGINES=']).argv, ['run', '3']);
  assert.deepEqual(askMake(['check-server', 'ENGINE=ws']).argv, ['server', 'check', '--', 'ws']);
  assert.deepEqual(askMake(['ec2-run', 'EXPERIMENT=5', 'SPOT=1']).argv, ['ec2', 'run', '--spot', '--', '5']);
});

test('a misspelt target is refused, with the nearest one, also where it is a folder', () => {
  for (const [target, near] of [['experment-3', 'experiment-N'], ['experiment', 'experiment-N'], ['reprot', 'report'], ['experiments', 'experiment-N'], ['plots', '']]) {
    const { status, stderr } = callMake([target, 'PROFILE=quick']);
    assert.equal(status, 2);
    assert.match(stderr, new RegExp(`there is no target '${target}'${near && `; did you mean ${near}\\?`}`), target);
  }
  assert.doesNotMatch(callMake(['record-import']).stderr, /did you mean record-import/);
});
