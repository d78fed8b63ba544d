/** Compares two versions of a file, number by number. */

/** @typedef {{numbers: number, differing: string[]}} Compared how many numbers there were, and which cells differ now */

/** Differences to print one by one. */
const LISTED_MAX = 10;

/** @param {string[]} lines */
export function printSome(lines) {
  for (const line of lines.slice(0, LISTED_MAX)) console.log(`  ${line}`);
  if (lines.length > LISTED_MAX) console.log(`  and ${lines.length - LISTED_MAX} more`);
}

/** Separators of a table's cells, and of JSON's tokens. */
const BETWEEN = /[\t\n\s,:[\]{}]+/;

/** @param {string} cell */
const isNumber = (cell) => cell !== '' && Number.isFinite(Number(cell));

/** @param {string} before @param {string} now two tables @returns {string} the second, without columns absent in the first */
function dropColumns(before, now) {
  const [known, [header, ...rows]] = [before.split('\n')[0].split('\t'), now.split('\n').map((line) => line.split('\t'))];
  const isKnown = header.map((name) => known.includes(name));
  return [header, ...rows].map((cells) => cells.filter((_cell, index) => isKnown[index] ?? true).join('\t')).join('\n');
}

/** @param {any} before @param {any} now @returns {any} the second, without keys absent in the first */
function dropKeys(before, now) {
  if (Array.isArray(before) && Array.isArray(now)) return now.map((each, index) => dropKeys(before[index], each));
  if (!before || !now || typeof before !== 'object' || typeof now !== 'object') return now;
  return Object.fromEntries(Object.keys(now).filter((key) => key in before).map((key) => [key, dropKeys(before[key], now[key])]));
}

/**
 * Drop columns and keys added by later versions: they do not make the old numbers different.
 * @param {string} name @param {string} before from an archive: may be anything @param {string} now @returns {string[][]} lines of both
 */
function splitKnown(name, before, now) {
  let known = now;
  try {
    known = name.endsWith('.json') ? JSON.stringify(dropKeys(JSON.parse(before), JSON.parse(now)), null, 2) : dropColumns(before, now);
  } catch {
    // not JSON: another kind of text
  }
  return [before, known].map((text) => text.trimEnd().split('\n'));
}

/** @param {string} name of a table or JSON @param {string} [before] if there was such a file @param {string} [now] @returns {Compared} */
export function compareText(name, before, now) {
  if (before === undefined || now === undefined) return { numbers: 0, differing: [`${name}: ${before === undefined ? 'is new' : 'is not made any more'}`] };
  const [was, is] = splitKnown(name, before, now);
  const numbers = was.reduce((sum, line) => sum + line.split(BETWEEN).filter(isNumber).length, 0);
  if (was.length !== is.length) return { numbers, differing: [`${name}: ${is.length} lines, there were ${was.length}`] };
  const differing = was.flatMap((line, index) => (line === is[index] ? [] : compareLine(`${name}:${index + 1}`, line, is[index])));
  return { numbers, differing };
}

/** @param {string} place @param {string} before @param {string} now @returns {string[]} */
function compareLine(place, before, now) {
  const [was, is] = [before, now].map((line) => line.split('\t'));
  if (was.length !== is.length) return [`${place}: ${is.length} cells, there were ${was.length}`];
  return was.flatMap((cell, index) => {
    if (cell === is[index]) return [];
    const ratio = Number(is[index]) / Number(cell); // meaningful if both are numbers
    const distance = Number.isFinite(ratio) && isNumber(cell) && isNumber(is[index]) ? ` (${(100 * (ratio - 1)).toPrecision(2)} %)` : '';
    return [`${place}: ${is[index].trim()}, was ${cell.trim()}${distance}`];
  });
}
