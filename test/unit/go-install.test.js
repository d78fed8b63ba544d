/** runtimes/go/install.sh: takes a new Go as it is, and downloads the pinned one by an old Go. Stubs stand for both. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'go-install-'));
after(() => rmSync(folder, { recursive: true }));
const INSTALLER = readFileSync(join(ROOT, 'runtimes/go/install.sh'), 'utf8');
const [, PINNED, SUM] = /** @type {RegExpExecArray} */ (/pinned=(\S+) pinned_sum=(\S+)/.exec(INSTALLER));

/** @param {string} path @param {string} script */
const writeProgram = (path, script) => writeFileSync(path, `#!/bin/bash\n${script}\n`, { mode: 0o755 });

/**
 * Installs by a go of this version. Its download has the sum, and as the pinned Go a program that tells its version.
 * @param {string} version @param {string} sum
 */
function install(version, sum) {
  const home = mkdtempSync(join(folder, 'home-'));
  const [runtime, bin] = [join(home, 'runtimes/go'), join(home, 'path')];
  for (const path of [runtime, bin]) mkdirSync(path, { recursive: true });
  cpSync(join(ROOT, 'runtimes/go/install.sh'), join(runtime, 'install.sh'));
  writeProgram(join(bin, 'gofmt'), '');
  writeProgram(join(bin, 'go'), `
[[ $1 == version ]] && { echo "go version go${version} linux/amd64"; exit; }
[[ $1 == env ]] && { echo https://proxy.example; exit; }
${sum ? '' : `echo '{ "Error": "no route to host" }'; exit 1`}
tree=$GOMODCACHE/\${!#}
mkdir -p "$tree"/bin "$tree"/pkg/tool/linux_amd64
echo go${PINNED} > "$tree/VERSION"
printf '#!/bin/sh\\necho go version go${PINNED} linux/amd64\\n' | tee "$tree/bin/go" > "$tree/bin/gofmt"
touch "$tree/pkg/tool/linux_amd64/compile" "$tree/_go.mod"
printf '{\\n\\t"Sum": "${sum}"\\n}\\n'`);
  const { status, stderr } = spawnSync('/bin/bash', [join(runtime, 'install.sh')], { env: { PATH: `${bin}:/usr/bin:/bin` }, encoding: 'utf8' });
  const link = join(runtime, 'bin/go');
  return { runtime, status, stderr: stderr.replaceAll(home, ''), go: existsSync(link) ? readlinkSync(link).replace(home, '') : undefined };
}

test('a Go that is new enough is linked to, and nothing is downloaded', () => {
  const { status, stderr, go } = install('1.24.4', '');
  assert.deepEqual([status, stderr, go], [0, '', '/path/go']);
});

test('an older Go downloads the pinned one, which runs although the archive has no modes', () => {
  const { runtime, ...told } = install('1.19.8', SUM);
  assert.deepEqual(told, { status: 0, stderr: '', go: '/runtimes/go/target/toolchain/bin/go' });
  assert.ok(existsSync(join(runtime, 'target/toolchain/go.mod')), 'as cmd/go names it');
});

test('a download with another sum, or none, is refused with the next step', () => {
  const spoilt = install('1.19.8', 'h1:other=');
  assert.deepEqual([spoilt.status, spoilt.go], [69, undefined]);
  assert.match(spoilt.stderr, /^error: .+ has another sum than h1:.+h1:other="; put a Go of 1.23 or later first in PATH\n$/);
  const absent = install('1.19.8', '');
  assert.deepEqual([absent.status, absent.go], [69, undefined]);
  assert.match(absent.stderr, /^error: .+ was not downloaded: .*no route to host.*; see that GOPROXY \(https:.+\) can be reached, or put/);
});
