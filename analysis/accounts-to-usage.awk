#!/usr/bin/awk -f
# accounts-to-usage: what each process used between two marks, from the kernel's cumulative accounts.
#
#   awk -f accounts-to-usage.awk accounts.tsv > usage
#
# accounts.tsv   mark, t_us, pid, side, role, index, cpu_ns, wait_ns, ticks, voluntary, involuntary, rss_kb
#                marks: start, window_start, window_end
#
# Output: phase, side, role, index, pid, seconds, cpu_s, wait_s, voluntary, involuntary, rss_kb, descriptors
# Phases: window (window_start to window_end) and whole (start to window_end). rss_kb is that at the end; descriptors are those
# opened since the start ("-" where they were not read).
#
#   phase   side    role    index  pid   seconds  cpu_s   wait_s  voluntary  involuntary  rss_kb  descriptors
#   window  server  worker  1      4711  3.0002   0.6123  0.0412  5120       87           49152   160

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) column[$i] = i
  print "phase", "side", "role", "index", "pid", "seconds", "cpu_s", "wait_s", "voluntary", "involuntary", "rss_kb", "descriptors"
  next
}

$column["mark"] != "window_end" { before[$column["mark"], $column["pid"]] = $0; next }

{ report("window", "window_start"); report("whole", "start") }

function report(phase, mark,    old) {
  if (!((mark, $column["pid"]) in before)) return
  split(before[mark, $column["pid"]], old, FS)
  print phase, $column["side"], $column["role"], $column["index"], $column["pid"], \
    fixed(($column["t_us"] - old[column["t_us"]]) / 1e6), \
    fixed(($column["cpu_ns"] - old[column["cpu_ns"]]) / 1e9), \
    fixed(($column["wait_ns"] - old[column["wait_ns"]]) / 1e9), \
    $column["voluntary"] - old[column["voluntary"]], $column["involuntary"] - old[column["involuntary"]], $column["rss_kb"], opened()
}

function opened(    first) {
  if (!("descriptors" in column) || !(("start", $column["pid"]) in before)) return "-"
  split(before["start", $column["pid"]], first, FS)
  return $column["descriptors"] - first[column["descriptors"]]
}

function fixed(x) { return sprintf("%.6f", x) }
