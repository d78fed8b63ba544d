/** Wraps prose between its words. */

/** @param {string} text @param {number} width @param {(line: string) => number} [measure] in characters unless told @returns {string[]} */
export function wrapWords(text, width, measure = ({ length }) => length) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || measure(`${line} ${word}`) > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Blocks of Markdown in which line breaks matter: tables, headings, comments, code. */
const IS_NO_PROSE = /^(\||#|<|```)/m;
/** Indent and list marker before the first word. */
const START = /^ *(([-*]|\d+\.) )?/;
/** Spaces that stay: before text that would begin an item, a heading, a quotation or a table; in an interval; before "%". */
const NO_BREAK = / (?=([-+*>|]|#+|\d+[.)])( |$))|(?<=\d) (?=\[)|(?<=\[[\d.]+,) |(?<=\d) (?=%)/g;

/**
 * @param {string} text one paragraph, or one item of a list with its marker @param {number} width in characters
 * @returns {string} filled to the width; lines of an item are indented to its first word
 */
export function fillParagraph(text, width) {
  const indent = ' '.repeat(START.exec(text)?.[0].length ?? 0);
  const words = text.slice(indent.length).trim().replaceAll(/\s+/g, ' ').replaceAll(NO_BREAK, '\0');
  return text.slice(0, indent.length) + wrapWords(words, width - indent.length).join(`\n${indent}`).replaceAll('\0', ' ');
}

/**
 * @param {string} markdown without code that has empty lines @param {number} width in characters
 * @returns {string} the same, each paragraph and item filled to the width; tables, headings and code unchanged
 */
export function fillParagraphs(markdown, width) {
  return markdown.split('\n\n').map((block) => {
    if (IS_NO_PROSE.test(block)) return block;
    const [text, end] = [block.trimEnd(), block.slice(block.trimEnd().length)];
    const parts = text.split(/\n(?= *(?:[-*]|\d+\.) )/);
    return parts.map((part) => fillParagraph(part, width)).join('\n') + end;
  }).join('\n\n');
}
