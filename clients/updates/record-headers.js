// Records the headers of a poll by a real Chromium into headers/chromium.txt, and with a cookie into headers/source.txt.
//
// usage: xvfb-run node record-headers.js [FOLDER]
//
// It needs Debian's chromium, xvfb and xauth, and `npm ci --ignore-scripts` in clients/browser.
//
// Chromium runs with a window: without one, its name is "HeadlessChrome", 8 bytes longer than in a user's browser.
// A page from our own server on loopback (a secure context) fetches /updates?since=1 as any page would: same origin, no cookie,
// no extra headers. We record the headers as received, except for the address.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Browser } from '../browser/chromium.js';

const ADDRESS = '127.0.0.1';
/** We record the second poll: a page's first one may differ from the others. */
const POLLS = 2;
const PAGE = `<!doctype html><script>
  (async () => { for (let n = 0; n < ${POLLS}; n++) await (await fetch('/updates?since=1')).text(); document.title = 'done'; })();
</script>`;

/** @returns {Promise<{server: import('node:http').Server, polls: string[][]}>} `polls`: raw headers of each poll so far */
async function serve() {
  /** @type {string[][]} */
  const polls = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/updates')) polls.push(request.rawHeaders);
    response.writeHead(200, { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' }).end(request.url === '/' ? PAGE : '');
  });
  await new Promise((resolve) => server.listen(0, ADDRESS, () => resolve(undefined)));
  return { server, polls };
}

/** @param {{headless: boolean}} how @returns {Promise<{version: string, headers: string[]}>} names and values, alternating */
export async function recordHeaders(how) {
  const { server, polls } = await serve();
  const browser = new Browser();
  try {
    await browser.start(how);
    const host = `${ADDRESS}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
    const page = await browser.open(`http://${host}/`, () => {});
    await page.waitForFunction('document.title === "done"');
    return { version: browser.version, headers: polls[POLLS - 1].map((part) => part.replaceAll(host, '{host}')) };
  } finally {
    await browser.kill();
    server.close();
    server.closeAllConnections();
  }
}

/** @typedef {{version: string, headers: string[]}} Recorded */

/** @param {Recorded} recorded @returns {string} one line per header */
const format = ({ headers }) => headers.flatMap((part, at) => (at % 2 === 0 ? [`${part}: ${headers[at + 1]}\n`] : [])).join('');

/** @param {Recorded} recorded @returns {string} the comment in chromium.txt */
const sayOfChromium = ({ version }) => `\
# As a page of ${version} sent them by fetch('/updates?since=1') to its own server on ${new Date().toISOString().slice(0, 10)}.
# Recorded by record-headers.js on loopback, which is a secure context: hence the sec-ch-ua. No cookie; {host} is the server's.
`;

const SAY_OF_SOURCE = `\
# As many bytes as in section 1.1.6 of the thesis, "at least 871 bytes" for the headers of a request and its answer together.
# The thesis prints no such headers: these are chromium.txt's, and a cookie as long as what a poll lacks of 871 bytes.
`;

if (import.meta.main) {
  const folder = process.argv[2] ?? join(import.meta.dirname, 'headers');
  const recorded = await recordHeaders({ headless: false });
  writeFileSync(join(folder, 'chromium.txt'), sayOfChromium(recorded) + format(recorded));
  writeFileSync(join(folder, 'source.txt'), `${SAY_OF_SOURCE}${format(recorded)}Cookie: session={fill}\n`);
  process.stdout.write(`${folder}\n`);
}
