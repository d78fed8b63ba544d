#!/usr/bin/awk -f
# capacities-to-slopes: how many times one process of the engine that all are compared with each core of another engine carries.
#
#   awk -f student.awk -f interval.awk -f capacities-to-slopes.awk pairs.tsv capacities > slopes.tsv
#
# pairs.tsv   era, of, to, idle: two engines; `idle` is a role of `of` that has no work, and whose core counts all the same if one counts it
# capacities  of steps-to-capacities: the rows of kind role
# Output:     era, of, to, count, load, n, slope, low, high. Compared at one load of a core, 0.5 or the largest below it that every role of both
#             reached in every block: in the middle of what was measured, where a curve is known best. k processes of each working role carry k times what one does (the utilisation law), on n cores: `without-<idle>`
#             counts the working ones, so that the slope is what a core brings; `with-<idle>` one more, and the slope is that of the line through
#             0 over k = 1, 2, 3, as the source's three, five and seven cores (thesis 3.4). n are blocks.
#
#   era   of                  to              count          load  n  slope  low   high
#   2014  socketcluster-2014  engine.io-2014  without-store  0.8   4  0.41   0.39  0.43

BEGIN { FS = OFS = "\t" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  pairs++
  era[pairs] = $column["era"]; of[pairs] = $column["of"]; to[pairs] = $column["to"]; idle[pairs] = $column["idle"]
  next
}

$column["kind"] == "role" {
  engine = $column["engine"]; role = $column["what"]; load = $column["load"]; block = $column["block"]
  rate_hz[engine, role, block, load] = $column["rate_hz"]
  if (!((engine, role) in known)) { known[engine, role]; roles[engine]++; role_of[engine, roles[engine]] = role }
  if (!((engine, role) in reached) || $column["reached"] < reached[engine, role]) reached[engine, role] = $column["reached"]
  if (block > blocks) blocks = block + 0
}

END {
  print "era", "of", "to", "count", "load", "n", "slope", "low", "high"
  for (i = 1; i <= pairs; i++) report(i)
}

function report(i,    load, n, block, base) {
  if (!roles[of[i]]) return
  load = common_load(of[i], to[i])
  split("", gains)
  for (block = 1; load > 0 && block <= blocks; block++) {
    base = least_rate(to[i], block, load)
    if (base > 0 && least_rate(of[i], block, load) > 0) gains[++n] = least_rate(of[i], block, load) / base
  }
  put(i, "without", load, n + 0, 1 / roles[of[i]])
  put(i, "with", load, n + 0, line_slope(roles[of[i]]))
}

# The slope of k over k * each + 1 cores, k = 1, 2, 3, through 0.
function line_slope(each,    k, over, under) {
  for (k = 1; k <= 3; k++) { over += k * (k * each + 1); under += (k * each + 1) ^ 2 }
  return over / under
}

function put(i, how, load, n, factor,    k) {
  split("", sample)
  for (k = 1; k <= n; k++) sample[k] = gains[k] * factor
  print era[i], of[i], to[i], how "-" idle[i], (n ? load : "-"), n, (n ? mean_interval(sample, n) : "-" OFS "-" OFS "-")
}

# The rate at which the first role has that load; 0 where a role was not measured in the block.
function least_rate(engine, block, load,    r, hz, least) {
  for (r = 1; r <= roles[engine]; r++) {
    hz = rate_hz[engine, role_of[engine, r], block, load]
    if (!(hz > 0)) return 0
    if (!least || hz < least) least = hz
  }
  return least + 0
}

function common_load(a, b,    tenths, load) {
  if (!roles[a] || !roles[b]) return 0
  for (tenths = 5; tenths >= 1; tenths--) {
    load = tenths / 10
    if (has_reached(a, load) && has_reached(b, load)) return load
  }
  return 0
}

function has_reached(engine, load,    r) {
  for (r = 1; r <= roles[engine]; r++) if (reached[engine, role_of[engine, r]] < load) return 0
  return 1
}
