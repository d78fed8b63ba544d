/**
 * From which x on one workflow takes longer than another: behind it, it does so at each x. It lies on the straight line
 * between the last x at which it did not and the next.
 * @param {{x: number, late_ms: number}[]} steps in ascending x: by how much it takes longer
 * @returns {number | undefined} none where it does so from the least on, or not at the largest
 */
export function findCrossing(steps) {
  const last = steps.findLastIndex(({ late_ms }) => late_ms < 0);
  if (last === -1 && steps[0]?.late_ms !== 0) return undefined;
  const next = steps.findIndex(({ late_ms }, index) => index > last && late_ms > 0);
  if (next === -1) return undefined;
  const [before, after] = [steps[next - 1], steps[next]];
  return before.x + ((after.x - before.x) * -before.late_ms) / (after.late_ms - before.late_ms) || before.x; // 0 * -0
}
