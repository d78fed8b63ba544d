#!/usr/bin/awk -f
# trials-to-crossings: from which x on the server's page is complete later than that of another workflow.
#
#   awk -f student.awk -f interval.awk -f trials-to-crossings.awk delivery.tsv trials.tsv > crossings.tsv
#
# delivery.tsv  of points-to-delivery: of it the source's own numbers, in ascending x
# trials.tsv    trial, block, era, engine, workload, setting, metric, value: the crossing of each trial by itself
#               (clients/page-loader/loads-to-metrics.awk) and, of the largest x, the times
# Output:       source, workload, setting, scenario, workflow, most (the largest x of both), n (trials that have both workflows), crossed (in
#               how many of these they cross), later (in how many the server's page is the later one with the most), x, low, high, scale,
#               words
#
# x and its interval are what interval.awk makes of all trials' crossings: none lies below 0; "-" where they do not cross in each trial, low
# and high also where there are fewer than three.
#
#   source     workload  setting  scenario  workflow  most  n  crossed  later  x    low  high  scale  words
#   published  -         -        files     ajax      1024  -  -        -      236  -    -     -      at 236 KiB
#   fastify    desk      -        files     ajax      1024  4  4        4      290  272  309   log    at 290 [272, 309] KiB

BEGIN {
  FS = OFS = "\t"
  unit_of["files"] = " KiB"; unit_of["documents"] = " documents"; unit_of["timeouts"] = " ms"
  unit_of["series"] = unit_of["parallel"] = " requests"
  print "source", "workload", "setting", "scenario", "workflow", "most", "n", "crossed", "later", "x", "low", "high", "scale", "words"
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file == 2) tell_published(); next }

file == 1 && $column["source"] == "published" {
  scenario = $column["scenario"]; x = $column["x"]
  if (!((scenario, x) in is_step)) { is_step[scenario, x]; step[scenario, ++steps[scenario]] = x }
  if (!(scenario in known)) { known[scenario]; scenarios[++count] = scenario }
  ms[scenario, $column["workflow"], x] = $column["ms"]
  next
}

file == 2 {
  trial = $column["trial"]; metric = $column["metric"]
  split(metric, part, "_")
  if (metric ~ /^load_ms_[a-z]+_[a-z]+_[0-9]+$/) {
    time[trial, part[4], part[3], part[5] + 0] = $column["value"]
    pair = $column["engine"] OFS $column["workload"] OFS $column["setting"] OFS part[4] OFS part[3]
    if (!((pair, trial) in xs)) trial_of[pair, ++trials[pair]] = trial
    xs[pair, trial] = xs[pair, trial] " " part[5]
    if (part[3] != "server" && !(pair in listed)) { listed[pair]; pairs[++pair_count] = pair }
  } else if (metric ~ /^crossing_[a-z]+_server_[a-z]+$/) crossing[trial, part[2], part[4]] = $column["value"]
}

END { for (p = 1; p <= pair_count; p++) tell_pair(pairs[p]) }

function tell_pair(pair,    cell, i, trial, most, n, crossed, later, largest, x) {
  split("", found)
  split(pair, cell, OFS)
  for (i = 1; i <= trials[pair]; i++) {
    trial = trial_of[pair, i]
    most = largest_common(trial, cell[4], cell[5], xs[pair, trial])
    if (most <= 0) continue
    n++; largest = most
    later += time[trial, cell[4], "server", most] + 0 > time[trial, cell[4], cell[5], most] + 0
    if ((trial, cell[4], cell[5]) in crossing) found[++crossed] = crossing[trial, cell[4], cell[5]]
  }
  if (!n) return
  x = low = high = scale = "-"
  if (crossed == n) {
    find_interval(found, n)
    x = mean
  }
  print cell[1], cell[2], cell[3], cell[4], cell[5], largest, n, crossed + 0, later + 0, x, low, high, scale, describe(n, crossed + 0, later + 0, largest, x, low, high, unit_of[cell[4]])
}

# The largest x that both have; -1 where they share fewer than two.
function largest_common(trial, scenario, workflow, list,    i, k, own, shared, most) {
  k = split(list, own, " ")
  most = -1
  for (i = 1; i <= k; i++) if ((trial, scenario, "server", own[i] + 0) in time) { shared++; if (own[i] + 0 > most) most = own[i] + 0 }
  return shared < 2 ? -1 : most
}

function describe(n, crossed, later, most, x, low, high, unit) {
  if (x != "-") return "at " short(x) (low == "-" ? " [no interval: " n (n == 1 ? " trial" : " trials") "]" : " [" short(low) ", " short(high) "]") unit
  if (crossed) return "in " crossed " of " n " trials"
  if (later == n) return "nowhere: with the least it is the later already"
  return "nowhere up to " most unit (later ? " in " n - later " of " n " trials" : "")
}

# Three significant digits, as everywhere.
function short(x,    unit) {
  x += 0
  if (x < 1000) return sprintf("%.3g", x) + 0
  for (unit = 10; x / unit >= 1000; unit *= 10) ;
  return sprintf("%d", int(x / unit + 0.5) * unit)
}

function tell_published(    i, s, w, x, now, before, at, others, from) {
  split("ajax stream", others, " ")
  for (i = 1; i <= count; i++) for (w = 1; w <= 2; w++) {
    at = ""; before = ""
    for (s = 1; s <= steps[scenarios[i]]; s++) {
      x = step[scenarios[i], s]
      if (!((scenarios[i], "server", x) in ms) || !((scenarios[i], others[w], x) in ms)) { at = ""; break }
      now = ms[scenarios[i], "server", x] - ms[scenarios[i], others[w], x]
      if (now < 0) at = ""
      else if (before == "") at = now > 0 ? "none" : ""
      else if (now > 0 && at == "") at = from + (x - from) * -before / (now - before)
      before = now; from = x
    }
    if (at != "" && at != "none") printf "published\t-\t-\t%s\t%s\t%s\t-\t-\t-\t%.6g\t-\t-\t-\tat %s\n", scenarios[i], others[w], x, at, short(at) unit_of[scenarios[i]]
  }
}
