#!/usr/bin/awk -f
# loads-to-metrics: the numbers of a trial in which pages were loaded.
#
#   awk -f median.awk -f loads-to-metrics.awk loads.tsv
#
# loads.tsv  load, t_s, scenario, x, workflow, total_ms, ... a line a load (README.md), "-" where something is not known
# Output:    metric, value: those that generator.toml lists
#
# Each number is the median of the trial's loads of that workflow, scenario and x. A crossing is the x from which on one workflow takes
# longer than another: behind it, it does so at each x. It lies on the straight line between the last x at which it did not and the next,
# and there is none where it does so everywhere, or not at the largest x.
#
#   metric                    value
#   load_ms_ajax_files_128    41.2

BEGIN {
  FS = OFS = "\t"
  batch_connections = 6; parallel_ms = 2000   # of a browser to one host over HTTP/1.1; servers/CONTRACT.md
  count_of_names = split("total_ms data_ms source_ms first_paint_ms interactive_ms server_cpu_ms database_cpu_ms browser_cpu_ms down_b", source, " ")
  split("load_ms data_ms source_ms first_paint_ms interactive_ms server_cpu_ms database_cpu_ms browser_cpu_ms wire_down_b", metric, " ")
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{
  kind = $column["workflow"] "_" $column["scenario"]; x = $column["x"] + 0
  if (!(kind in steps)) kinds[++kind_count] = kind
  if (!((kind, x) in is_step)) { is_step[kind, x]; step[kind, ++steps[kind]] = x }
  for (i = 1; i <= count_of_names; i++) {
    value = source[i] in column ? $column[source[i]] : "-"   # bundles before data_ms
    if (value != "-") sample[metric[i], kind, x, ++samples[metric[i], kind, x]] = value
  }
  if ($column["bound_ms"] > bound_ms) bound_ms = $column["bound_ms"]
}

END {
  print "metric", "value"
  for (k = 1; k <= kind_count; k++) tell_kind(kinds[k])
  for (k = 1; k <= kind_count; k++) for (other = 1; other <= kind_count; other++) tell_crossing(kinds[k], kinds[other])
  tell_gain(); tell_batches(); tell_inflation()
  put("page_clock_bound_ms", bound_ms)
}

function put(name, value) { print name, sprintf("%.6g", value) }

function median(name, kind, x,    i, n) {
  n = samples[name, kind, x]
  split("", values)
  for (i = 1; i <= n; i++) values[i] = sample[name, kind, x, i]
  sort_numbers(values, n)
  return median_of(values, n)
}

function has(name, kind, x) { return samples[name, kind, x] > 0 }

# Steps in ascending order, from here on.
function sort_steps(kind,    i, n) {
  n = steps[kind]
  split("", values)
  for (i = 1; i <= n; i++) values[i] = step[kind, i]
  sort_numbers(values, n)
  for (i = 1; i <= n; i++) step[kind, i] = values[i]
}

function tell_kind(kind,    i, s, x, n) {
  sort_steps(kind)
  n = steps[kind]
  for (i = 1; i <= count_of_names; i++) {
    for (s = 1; s <= n; s++) if (has(metric[i], kind, step[kind, s])) put(metric[i] "_" kind "_" step[kind, s], median(metric[i], kind, step[kind, s]))
  }
  if (n < 2) return
  put("load_ms_" kind "_least", median("load_ms", kind, step[kind, 1]))
  put("load_ms_" kind "_most", median("load_ms", kind, step[kind, n]))
  tell_line(kind)
}

# The straight line by least squares, and how far the step that lies farthest from it does: of two steps none does.
function tell_line(kind,    s, x, y, n, sx, sy, sxx, sxy, slope, off, most) {
  n = steps[kind]
  for (s = 1; s <= n; s++) { x = step[kind, s]; y = median("load_ms", kind, x); sx += x; sy += y; sxx += x * x; sxy += x * y }
  slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
  put("slope_ms_" kind, slope)
  if (n < 3) return
  for (s = 1; s <= n; s++) {
    off = median("load_ms", kind, step[kind, s]) - (sy - slope * sx) / n - slope * step[kind, s]
    if (off < 0) off = -off
    if (off > most) most = off
  }
  put("off_line_ms_" kind, most)
}

# Of two workflows of one scenario: the first is the server's own, which has no request but its page.
function tell_crossing(kind, other,    s, n, x, now, before, at) {
  if (kind !~ /^server_/ || other == kind || scenario_of(kind) != scenario_of(other)) return
  split("", common)
  for (s = 1; s <= steps[kind]; s++) if ((other, step[kind, s]) in is_step) common[++n] = step[kind, s]
  for (s = 1; s <= n; s++) {
    x = common[s]
    now = median("load_ms", kind, x) - median("load_ms", other, x)
    if (now < 0) at = ""
    else if (s == 1) at = now > 0 ? "none" : ""
    else if (now > 0 && at == "") at = common[s - 1] + (x - common[s - 1]) * -before / (now - before)
    before = now
  }
  if (at != "" && at != "none") put("crossing_" scenario_of(kind) "_server_" workflow_of(other), at)
}
function scenario_of(kind) { sub(/^[^_]*_/, "", kind); return kind }
function workflow_of(kind) { sub(/_.*/, "", kind); return kind }

# By how many loads of the page without data the pushed page is earlier than the rendered one.
function tell_gain(    s, x, page_ms, gain, most) {
  if (!has("load_ms", "server_noop", 0) || !("stream_timeouts" in steps)) return
  page_ms = median("load_ms", "server_noop", 0)
  for (s = 1; s <= steps["stream_timeouts"]; s++) {
    x = step["stream_timeouts", s]
    if (x == 0 || !has("load_ms", "server_timeouts", x)) continue
    gain = (median("load_ms", "server_timeouts", x) - median("load_ms", "stream_timeouts", x)) / page_ms
    put("gain_pages_" x, gain)
    most = gain
  }
  if (most != "") put("gain_pages_most", most)
}

# How many batches of as many connections as a browser has a load of parallel requests took, over how many there are.
function tell_batches(    k, s, x, share) {
  for (k = 1; k <= kind_count; k++) {
    if (scenario_of(kinds[k]) != "parallel") continue
    for (s = 1; s <= steps[kinds[k]]; s++) {
      x = step[kinds[k], s]
      share = median("load_ms", kinds[k], x) / (parallel_ms * int((x + batch_connections - 1) / batch_connections))
      put("batch_share_" workflow_of(kinds[k]) "_" x, share)
    }
    if (steps[kinds[k]] > 1) put("batch_share_" workflow_of(kinds[k]) "_most", share)
  }
}

# Between the least file and the largest, so that headers and scripts fall out.
function tell_inflation(    k, first, last, kind) {
  for (k = 1; k <= kind_count; k++) {
    kind = kinds[k]
    if (scenario_of(kind) != "files" || steps[kind] < 2) continue
    first = step[kind, 1]; last = step[kind, steps[kind]]
    if (!has("wire_down_b", kind, first) || !has("wire_down_b", kind, last)) continue
    put("wire_b_per_file_b_" workflow_of(kind), (median("wire_down_b", kind, last) - median("wire_down_b", kind, first)) / (1024 * (last - first)))
  }
}
