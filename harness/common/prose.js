/** Prose, broken into lines between its words. */

/** @param {string} text @param {number} width in characters @returns {string[]} lines, broken between words */
export function wrapWords(text, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Blocks of Markdown in which a line break says something else: tables, headings, comments, code. */
const IS_NO_PROSE = /^(\||#|<|```)/m;
/** What goes before the first word: of an item of a list its marker. */
const START = /^ *(([-*]|\d+\.) )?/;
/** A space before what would begin an item, a heading, a quotation or a table, if it stood first in a line; in an interval; before "%". */
const NO_BREAK = / (?=([-+*>|]|#+|\d+[.)])( |$))|(?<=\d) (?=\[)|(?<=\[[\d.]+,) |(?<=\d) (?=%)/g;

/**
 * @param {string} text one paragraph, or one item of a list with its marker @param {number} width in characters
 * @returns {string} filled to the width; the lines of an item stand below its first word
 */
export function fillParagraph(text, width) {
  const indent = ' '.repeat(START.exec(text)?.[0].length ?? 0);
  const words = text.slice(indent.length).trim().replaceAll(/\s+/g, ' ').replaceAll(NO_BREAK, '\0');
  return text.slice(0, indent.length) + wrapWords(words, width - indent.length).join(`\n${indent}`).replaceAll('\0', ' ');
}

/**
 * @param {string} markdown without code that has empty lines @param {number} width in characters
 * @returns {string} the same, each paragraph and each item filled to the width; tables, headings and code as they were
 */
export function fillParagraphs(markdown, width) {
  return markdown.split('\n\n').map((block) => {
    if (IS_NO_PROSE.test(block)) return block;
    const [text, end] = [block.trimEnd(), block.slice(block.trimEnd().length)];
    const parts = text.split(/\n(?= *(?:[-*]|\d+\.) )/);
    return parts.map((part) => fillParagraph(part, width)).join('\n') + end;
  }).join('\n\n');
}
