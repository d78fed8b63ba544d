/** Documents show the output of commands and the numbers of records. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { listDocuments, renderDocument } from '../../report/documents.js';

for (const path of listDocuments()) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  if (!/^<!-- (output|answer|engines of)/m.test(text)) continue;
  test(`${path} shows what its commands and the records say: run ./wscale docs`, () => assert.equal(text, renderDocument(text)));
}

test('a document may not show a command that may start something', () => {
  for (const command of ['./wscale run 3', './wscale rank; rm -rf x', 'head -1 $(ls)', 'make test']) {
    assert.throws(() => renderDocument(`<!-- output -->\n\`\`\`\n$ ${command}\nx\n\`\`\``), /may start something/);
  }
});

test('output is cut where the mark says, and shown behind its command', () => {
  const text = '<!-- output, first 1 lines -->\n```\n$ head -3 LICENSE\nold\n```\n';
  const [first] = readFileSync(join(ROOT, 'LICENSE'), 'utf8').split('\n');
  assert.equal(renderDocument(text), `<!-- output, first 1 lines -->\n\`\`\`\n$ head -3 LICENSE\n${first}\n…\n\`\`\`\n`);
});
