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

/** Of Markdown: a table, a heading, a comment, an item of a list; what breaks a line there says something else, or nothing. */
const IS_NO_PARAGRAPH = /^(\||#|<|```|[-*] |\d+\. )/m;

/**
 * @param {string} markdown @param {number} width in characters
 * @returns {string} the same, each paragraph filled to the width; tables, lists and code as they were
 */
export function fillParagraphs(markdown, width) {
  return markdown.split('\n\n').map((block) => {
    if (IS_NO_PARAGRAPH.test(block)) return block;
    const [text, end] = [block.trimEnd(), block.slice(block.trimEnd().length)];
    return `${wrapWords(text.split('\n').join(' '), width).join('\n')}${end}`;
  }).join('\n\n');
}
