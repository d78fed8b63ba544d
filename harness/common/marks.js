/** Parts of a document that a command writes, each between two Markdown comments. The text around them stays. */
import { readText, writeAtomically } from './files.js';

/**
 * @param {string} document Markdown @param {string} name of a part that it has @param {string} text
 * @returns {string} the document with the text as this part
 */
export function replacePart(document, name, text) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [before, rest] = document.split(begin);
  return [before, begin, '\n\n', text.trim(), '\n\n', end, rest.split(end)[1]].join('');
}

/** @param {string} path of a document @param {string} name @param {string} text */
export const writePart = (path, name, text) => writeAtomically(path, replacePart(readText(path), name, text));
