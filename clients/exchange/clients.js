/** Clients other than the library `ws`. Each opens one connection, gets one echo, and closes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Browser } from '../browser/chromium.js';
import { listDescendants } from '../common/browser-program.js';
import { Library } from '../serial/library.js';

/**
 * @typedef {object} Client
 * @property {string} [version]
 * @property {() => number} pid
 * @property {() => Promise<unknown>} open @property {(bytes: number) => Promise<unknown>} echo of a binary message
 * @property {() => Promise<unknown>} close @property {() => Promise<unknown>} stop the program
 * @property {() => void | Promise<void>} kill
 */

const BROWSER = 'chromium';

/** @param {string} name the browser, or a folder of clients/serial @param {string} url @returns {Promise<Client>} ready to open */
export const startClient = (name, url) => (name === BROWSER ? startBrowser(url) : startLibrary(name, url));

/** @param {string} name @param {string} url @returns {Promise<Client>} */
async function startLibrary(name, url) {
  const library = new Library(/** @type {import('../serial/config.js').Config} */ ({ library: name, url }));
  await library.ask();
  return {
    pid: () => library.pid, open: () => library.ask('connect'), echo: (bytes) => library.ask(`echo ${bytes} 1`),
    close: () => library.ask('close'), stop: () => library.stop(), kill: () => library.kill(),
  };
}

/** In a page, as an application has it: its origin is part of the request. @param {string} url @returns {Promise<Client>} */
async function startBrowser(url) {
  const pages = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'));
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (pages.address());
  const browser = new Browser();
  await browser.start();
  const page = await browser.open(`http://127.0.0.1:${port}/`, () => {});
  return {
    version: browser.version, pid: () => listDescendants(process.pid)[0],
    open: () => page.evaluate(openInPage, url), echo: (bytes) => page.evaluate(echoInPage, bytes), close: () => page.evaluate(closeInPage),
    stop: async () => { await browser.close(); pages.close(); }, kill: () => browser.kill(),
  };
}

/** @param {string} url */
const openInPage = (url) => new Promise((resolve, reject) => {
  const socket = Object.assign(new WebSocket(url), { binaryType: 'arraybuffer' });
  Object.assign(globalThis, { socket });
  socket.onopen = () => resolve(undefined);
  socket.onerror = () => reject(new Error(`the page could not open ${url}`));
});

/** @param {number} bytes */
const echoInPage = (bytes) => new Promise((resolve, reject) => {
  const { socket } = /** @type {any} */ (globalThis);
  socket.onmessage = (/** @type {{data: ArrayBuffer}} */ { data }) =>
    (data.byteLength === bytes ? resolve(undefined) : reject(new Error(`an echo of ${data.byteLength} B in the place of ${bytes} B`)));
  socket.send(new Uint8Array(bytes));
});

const closeInPage = () => new Promise((resolve) => {
  const { socket } = /** @type {any} */ (globalThis);
  socket.onclose = resolve;
  socket.close();
});
