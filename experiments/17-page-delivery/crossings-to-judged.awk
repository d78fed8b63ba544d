#!/usr/bin/awk -f
# crossings-to-judged: the crossings that claims are judged by, in the form of compared.tsv.
#
#   awk -f crossings-to-judged.awk rules.tsv plan.tsv crossings.tsv > judged.tsv
#
# rules.tsv      claim, scenario, workflow, says: crosses, or nowhere
# plan.tsv       of it the points that claims look at: of these workloads, and set apart by nothing
# crossings.tsv  of trials-to-crossings
# Output:        claim, era, workload, setting, metric, of, to, to_setting, to_metric, criterion, n, mean, low, high, scale, degrees
#
# Where they cross in each trial it is the crossing that is judged, by its interval: it lies between the least x and the most (crosses) or
# beyond the most (nowhere). Where they do not, it is the share of the trials in which they do, or in which the server's page is the later one with
# the most; its exact interval is made where it is judged (harness/common/binomial.js).
#
#   claim  era    workload  setting  metric                      of       to  ...  criterion  n  mean  low  high  scale   degrees
#   H2     today  desk      -        crossing_files_server_ajax  fastify  -   ...  0..1024    4  290   272  309   log     3

BEGIN {
  FS = OFS = "\t"
  main = " source desk look "
  print "claim", "era", "workload", "setting", "metric", "of", "to", "to_setting", "to_metric", "criterion", "n", "mean", "low", "high", "scale", "degrees"
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

file == 1 { rules++; claim[rules] = $column["claim"]; scenario[rules] = $column["scenario"]; workflow[rules] = $column["workflow"]; says[rules] = $column["says"]; next }

file == 2 {
  point = $column["engine"] OFS $column["workload"]
  if ($column["setting"] != "-" || !index(main, " " $column["workload"] " ") || point in era) next
  era[point] = $column["era"]; points[++count] = point
  next
}

$column["setting"] == "-" { row[$column["source"] OFS $column["workload"] OFS $column["scenario"] OFS $column["workflow"]] = $0 }

END { for (r = 1; r <= rules; r++) for (p = 1; p <= count; p++) judge(r, points[p]) }

function judge(r, point,    pair, key, cell, n, crossed, share, most) {
  split(point, pair, OFS)
  key = point OFS scenario[r] OFS workflow[r]
  if (!(key in row)) { put_share(r, pair, 0, "-", "-"); return }
  split(row[key], cell, FS)
  n = cell[column["n"]]; crossed = cell[column["crossed"]]; most = cell[column["most"]]
  if (crossed == n) {
    put(r, pair, "crossing", says[r] == "crosses" ? "0.." most : ">" most, n, cell[column["x"]], cell[column["low"]], cell[column["high"]], \
      n < 3 ? "-" : cell[column["scale"]], n < 3 ? "-" : n - 1)
    return
  }
  share = (says[r] == "crosses" ? crossed : cell[column["later"]]) / n
  put_share(r, pair, n, sprintf("%.4g", share), "share")
}

function put_share(r, pair, n, share, scale) {
  put(r, pair, says[r] == "crosses" ? "crossed_share" : "later_share", says[r] == "crosses" ? ">0.5" : "<0.5", n, share, "-", "-", scale, "-")
}

function put(r, pair, what, criterion, n, mean, low, high, scale, degrees) {
  print claim[r], era[pair[1] OFS pair[2]], pair[2], "-", what "_" scenario[r] "_server_" workflow[r], pair[1], "-", "-", "-", criterion, n, mean, low, high, scale, degrees
}
