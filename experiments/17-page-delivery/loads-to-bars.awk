#!/usr/bin/awk -f
# loads-to-bars: one load of each workflow, request by request.
#
#   awk -f loads-to-bars.awk loads.tsv waterfall.tsv > bars
#
# loads.tsv      trial, block, era, engine, workload, setting, load, scenario, x, workflow, total_ms, ...
# waterfall.tsv  the same, request, begin_ms, first_ms, end_ms, of loads of few requests
# Output:        engine, workflow, line, what, begin_ms, first_ms, end_ms, without a header. The load is that of timeouts, or, of a workflow
#                that has none, of files, with the longest x of the trial, in the first trial of the engine that has the workflow; its
#                requests come first, then its marks

BEGIN { FS = OFS = "\t"; rank["timeouts"] = 2; rank["files"] = 1 }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

!($column["scenario"] in rank) || ($column["setting"] != "-" && $column["setting"] != "capture=on") { next }

{ key = $column["engine"] OFS $column["workflow"]; now = rank[$column["scenario"]] }

file == 1 {
  if (now == 1 && $column["workflow"] !~ /^(binary|websocket)$/) next
  if (key in trial && (now < best[key] || (now == best[key] && (trial[key] != $column["trial"] || x[key] + 0 >= $column["x"] + 0)))) next
  if (!(key in trial)) keys[++count] = key
  best[key] = now; trial[key] = $column["trial"]; x[key] = $column["x"]; load[key] = $column["load"]
  mark[key, 1] = $column["first_paint_ms"]; mark[key, 2] = $column["interactive_ms"]; mark[key, 4] = $column["total_ms"]
  mark[key, 3] = "data_ms" in column ? $column["data_ms"] : "-"   # bundles before data_ms
  next
}

trial[key] == $column["trial"] && load[key] == $column["load"] {
  what = $column["request"]
  if (what ~ /^\/socket\.io\/$/) what = "poll"
  sub(/^\/socket\.io\//, "", what); sub(/^\/data\/.*/, "data", what); sub(/^\/[a-z]+\/timeouts\/.*/, "page", what)
  sub(/^\/[a-z]+\/files\/.*/, "page: a file", what); sub(/^\//, "", what)
  line[key, ++lines[key]] = what OFS $column["begin_ms"] OFS $column["first_ms"] OFS $column["end_ms"]
}

END {
  split("first paint|interactive|data there|complete", words, "|")
  for (i = 1; i <= count; i++) {
    key = keys[i]
    for (k = 1; k <= lines[key]; k++) print key, k, line[key, k]
    for (k = 1; k <= 4; k++) if (mark[key, k] != "-") print key, lines[key] + k, words[k], mark[key, k], "-", mark[key, k]
  }
}
