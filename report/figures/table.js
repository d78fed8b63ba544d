/** Cells of a figure's text. */

/** @param {string[][]} rows @returns {string[]} columns aligned: the first at its left, numbers at their right */
export function alignCells(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  );
}
