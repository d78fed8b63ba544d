#!/usr/bin/awk -f
# scaling-to-laws: which trials each law of speed-up is fitted to, for fit.sh.
#
#   awk -f scaling-to-laws.awk scaling.tsv > data
#
# scaling.tsv  of trials-to-scaling
# Output:      law, era, engine, workload, setting (the line of scaling.tsv), x, y, u, trial, at, value
#
# Lines with three or more different n where they are balanced (units is a number). value is throughput; x is n_cores
# for linear, with the trials of the one-process engine as x = 0, and units for the other laws; at is n_cores.
#
#   law     era   engine              workload   setting  x  y  u  trial  at  value
#   amdahl  2014  socketcluster-2014  saturated  -        2  0  0  b01-…  5   1840

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["units"] == "-" { next }

{
  engine = $column["engine"]; workload = $column["workload"]
  group = $column["era"] OFS engine OFS workload OFS $column["line"]
  if (!(group in name)) groups[++group_count] = group
  name[group] = engine; era[group] = $column["era"]; load_of[group] = workload; base_of[group] = $column["base"]; line_of[group] = $column["line"]
  if (!((group, $column["units"]) in known)) { known[group, $column["units"]]; different[group]++ }
  i = ++count[group]
  units[group, i] = $column["units"]; cores[group, i] = $column["n_cores"]; trial[group, i] = $column["trial"]; hz[group, i] = $column["throughput_hz"]
}

END {
  print "law", "era", "engine", "workload", "setting", "x", "y", "u", "trial", "at", "value"
  law_count = split("linear amdahl gustafson usl", laws, " ")
  for (g = 1; g <= group_count; g++)
    for (l = 1; different[groups[g]] >= 3 && l <= law_count; l++)
      if (laws[l] == "linear") put_linear(groups[g]); else put_law(laws[l], groups[g])
}

function put_law(law, group,    i) {
  for (i = 1; i <= count[group]; i++) put(law, group, group, i, units[group, i])
}

# The engine that all are compared with is its own base: its values at one are not used twice.
function put_linear(group,    base, i) {
  base = era[group] OFS base_of[group] OFS load_of[group] OFS "-"
  if (!(base in count)) return
  for (i = 1; i <= count[base]; i++) if (units[base, i] == 1) put("linear", group, base, i, 0)
  for (i = 1; i <= count[group]; i++) if (base != group || units[group, i] > 1) put("linear", group, group, i, cores[group, i])
}

function put(law, group, from, i, x) {
  print law, era[group], name[group], load_of[group], line_of[group], x, 0, 0, trial[from, i], cores[from, i], hz[from, i]
}
