#!/usr/bin/awk -f
# processes-to-ranks: how evenly the processes of a role are loaded: of each point the median over trials of its busiest
# process, of its second busiest, and so on.
#
#   awk -v quantity=cpu_cores -f median.awk -f processes-to-ranks.awk processes.tsv > ranks
#
# processes.tsv  era, engine, workload, setting, trial, side, role, index, cpu_cores, descriptors, rss_kb, in any order
# quantity       the column that is ranked
# Output:        era, engine, workload, setting, side, role, rank, n, median; rank 1 is the most, rank 0 the mean over
#                the processes of a trial; n counts trials
#
# Which process is the busiest differs from trial to trial, so that medians by index would hide how uneven they are.
#
#   era   engine              workload  setting           side    role      rank  n  median
#   2014  socketcluster-2014  listed    processes=2+2+1   server  balancer  0     6  0.31
#   2014  socketcluster-2014  listed    processes=2+2+1   server  balancer  1     6  0.42
#   2014  socketcluster-2014  listed    processes=2+2+1   server  balancer  2     6  0.2

BEGIN { FS = OFS = "\t"; print "era", "engine", "workload", "setting", "side", "role", "rank", "n", "median" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column[quantity] == "-" { next }

{
  group = $column["era"] OFS $column["engine"] OFS $column["workload"] OFS $column["setting"] OFS $column["side"] OFS $column["role"]
  if (!(group in trial_count)) groups[++group_count] = group
  team = group OFS $column["trial"]
  if (!(team in size)) team_of[group, ++trial_count[group]] = team
  value[team, ++size[team]] = $column[quantity]
  if (size[team] > most[group]) most[group] = size[team]
}

END {
  for (i = 1; i <= group_count; i++) {
    for (j = 1; j <= trial_count[groups[i]]; j++) rank_team(team_of[groups[i], j])
    for (rank = 0; rank <= most[groups[i]]; rank++) report(groups[i], rank)
  }
}

# Puts the values of a trial's processes in order, the most first, and their mean at 0.
function rank_team(team,    k, sum, sorted) {
  for (k = 1; k <= size[team]; k++) { sorted[k] = value[team, k]; sum += value[team, k] }
  sort_numbers(sorted, size[team])
  for (k = 1; k <= size[team]; k++) value[team, k] = sorted[size[team] + 1 - k]
  value[team, 0] = sum / size[team]
}

function report(group, rank,    j, n, team, sorted) {
  for (j = 1; j <= trial_count[group]; j++) {
    team = team_of[group, j]
    if (rank <= size[team]) sorted[++n] = value[team, rank]
  }
  sort_numbers(sorted, n)
  print group, rank, n, sprintf("%.6g", median_of(sorted, n))
}
