/** Two texts of one file, number by number. */

/** @typedef {{numbers: number, differing: string[]}} Compared */

/** What stands between the cells of a table, and between the words of JSON. */
const BETWEEN = /[\t\n\s,:[\]{}]+/;

/** @param {string} cell */
const isNumber = (cell) => cell !== '' && Number.isFinite(Number(cell));

/** @param {string} was @param {string} is @returns {string} how far apart they are */
function describeDistance(was, is) {
  if (!isNumber(was) || !isNumber(is) || Number(was) === 0) return '';
  return ` (${(100 * (Number(is) / Number(was) - 1)).toPrecision(2)} %)`;
}

/**
 * @param {string} name of the file, for what is told
 * @param {string | undefined} before @param {string | undefined} now undefined where there is no such file
 * @returns {Compared} how many numbers there were, and which cells are others now
 */
export function compareText(name, before, now) {
  if (before === undefined || now === undefined) return { numbers: 0, differing: [`${name}: ${before === undefined ? 'is new' : 'is not made any more'}`] };
  const [was, is] = [before, now].map((text) => text.trimEnd().split('\n'));
  const numbers = was.reduce((sum, line) => sum + line.split(BETWEEN).filter(isNumber).length, 0);
  if (was.length !== is.length) return { numbers, differing: [`${name}: ${is.length} lines, there were ${was.length}`] };
  const differing = was.flatMap((line, index) => (line === is[index] ? [] : compareLine(`${name}:${index + 1}`, line, is[index])));
  return { numbers, differing };
}

/** @param {string} place @param {string} before @param {string} now @returns {string[]} */
function compareLine(place, before, now) {
  const [was, is] = [before, now].map((line) => line.split('\t'));
  if (was.length !== is.length) return [`${place}: ${is.length} cells, there were ${was.length}`];
  return was.flatMap((cell, index) => (cell === is[index] ? [] : [`${place}: ${is[index].trim()}, was ${cell.trim()}${describeDistance(cell, is[index])}`]));
}
