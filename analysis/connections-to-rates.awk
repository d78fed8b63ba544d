#!/usr/bin/awk -f
# connections-to-rates: the rate of each connection that the listing's draw makes, computed and as it was measured.
#
#   awk -v max_ms=5000 -v totals=totals.tsv -f median.awk -f connections-to-rates.awk connections > rates.tsv
#
# connections  trial, block, window_s, connection, due, sent, received: connections.tsv of each trial, labelled; may be empty
# max_ms       the listing draws round(u * max_ms) ms for a connection, u uniform in [0, 1) (A.1)
# Output:      source, fastest_share, rate_hz, messages_share: the fastest so many of the connections send so many of the
#              messages, and the slowest of them sends at this rate
# totals:      source, connections, mean_hz, least_hz, most_hz, fastest_hundredth_share; a connection's mean, over all and in
#              the blocks of least and most; with the rate that the mean interval suggests as `suggested`
#
# Computed: 0 ms and max_ms are drawn half as often as each of the others, and a timer of 0 ms waits 1 ms. Measured: by when
# messages were due, of one trial a block (the trials of a block have the same draws), in whole messages in the window.
#
#   source    fastest_share  rate_hz  messages_share
#   computed  0.0003         1000     0.156

BEGIN {
  FS = OFS = "\t"
  header = "source\tconnections\tmean_hz\tleast_hz\tmost_hz\tfastest_hundredth_share"
  print header > totals
  print "suggested", "-", sprintf("%.6g", 2000 / max_ms), "-", "-", "-" > totals
  print "source", "fastest_share", "rate_hz", "messages_share"
  compute()
}

FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

{ if (!($column["block"] in trial_of)) trial_of[$column["block"]] = $column["trial"] }

trial_of[$column["block"]] == $column["trial"] {
  rate_hz = $column["due"] / $column["window_s"]
  if (!(rate_hz in share_at)) rates[++rate_count] = rate_hz
  share_at[rate_hz]++; connections++
  block_hz[$column["block"]] += rate_hz; block_connections[$column["block"]]++
}

END { if (connections) measure() }

function compute(    k) {
  begin_source("computed")
  add(1000, 1.5 / max_ms)
  for (k = 2; k < max_ms; k++) add(1000 / k, 1 / max_ms)
  add(1000 / max_ms, 0.5 / max_ms)
  total_hz = sum_hz
  begin_source("computed")
  put(1000, 1.5 / max_ms)
  for (k = 2; k < max_ms; k++) put(1000 / k, 1 / max_ms)
  put(1000 / max_ms, 0.5 / max_ms)
  put_totals("-", "-", "-")
}

function measure(    i, block, mean_hz, least_hz, most_hz) {
  sort_numbers(rates, rate_count)
  begin_source("measured")
  for (i = rate_count; i >= 1; i--) add(rates[i], share_at[rates[i]] / connections)
  total_hz = sum_hz
  begin_source("measured")
  for (i = rate_count; i >= 1; i--) put(rates[i], share_at[rates[i]] / connections)
  for (block in block_hz) {
    mean_hz = block_hz[block] / block_connections[block]
    if (least_hz == "" || mean_hz < least_hz) least_hz = mean_hz
    if (mean_hz > most_hz) most_hz = mean_hz
  }
  put_totals(connections, sprintf("%.6g", least_hz), sprintf("%.6g", most_hz))
}

function begin_source(name) { source = name; sum_share = sum_hz = printed_share = hundredth = 0 }

# One more step towards the slow ones; where it passes one in a hundred, what these send is in proportion.
function add(rate_hz, share) {
  if (sum_share < 0.01) hundredth = sum_hz + rate_hz * (sum_share + share > 0.01 ? 0.01 - sum_share : share)
  sum_share += share; sum_hz += rate_hz * share
}

# A line wherever the share has grown by a twentieth: even steps on a logarithmic axis.
function put(rate_hz, share) {
  add(rate_hz, share)
  if (total_hz == 0 || (sum_share < printed_share * 1.05 && sum_share < 0.999999)) return
  print source, sprintf("%.6g", sum_share), sprintf("%.6g", rate_hz), sprintf("%.6g", sum_hz / total_hz)
  printed_share = sum_share
}

function put_totals(count, least_hz, most_hz) {
  print source, count, sprintf("%.6g", total_hz), least_hz, most_hz, (total_hz ? sprintf("%.6g", hundredth / total_hz) : "-") > totals
}
