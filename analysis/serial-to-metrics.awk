#!/usr/bin/awk -f
# serial-to-metrics: the medians of a trial whose load went in rounds (clients/serial).
#
#   (head -n 1 serial.tsv; tail -n +2 serial.tsv | sort -t "$(printf '\t')" -k 5,5g) | awk -v from_s=1 -v to_s=4 -f serial-to-metrics.awk
#
# serial.tsv  t_s, round, quantity, size_b, us; its lines sorted by us, for what is picked from a sorted list is in order
# Output:     metric, value: connect_us, echo_us_<size>, and warm_drift: by how much the median of the smallest echo in the second half of
#             the window differs from that in the first, as a share of the latter. What began outside the window is left out.
#
#   metric       value
#   connect_us   152.4
#   echo_us_1    61.02
#   warm_drift   0.0121

BEGIN { FS = OFS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "metric", "value"; next }

$column["t_s"] + 0 < from_s || $column["t_s"] + 0 >= to_s { next }

$column["quantity"] == "connect" { us["connect", ++count["connect"]] = $column["us"]; next }

{
  size_b = $column["size_b"]
  if (!(size_b in count)) sizes[++size_count] = size_b
  us[size_b, ++count[size_b]] = $column["us"]
  half = size_b ($column["t_s"] + 0 < (from_s + to_s) / 2 ? " first" : " second")
  us[half, ++count[half]] = $column["us"]
}

END {
  if (count["connect"] > 0) put("connect_us", median_of_key("connect"))
  for (i = 2; i <= size_count; i++) for (j = i; j > 1 && sizes[j - 1] + 0 > sizes[j] + 0; j--) { held = sizes[j]; sizes[j] = sizes[j - 1]; sizes[j - 1] = held }
  for (i = 1; i <= size_count; i++) put("echo_us_" sizes[i], median_of_key(sizes[i]))
  first = sizes[1] " first"; second = sizes[1] " second"
  if (count[first] > 0 && count[second] > 0) put("warm_drift", absolute(median_of_key(second) / median_of_key(first) - 1))
}

function median_of_key(key,    n) {
  n = count[key]
  return n % 2 ? us[key, (n + 1) / 2] : (us[key, n / 2] + us[key, n / 2 + 1]) / 2
}
function absolute(x) { return x < 0 ? -x : x }
function put(name, value) { print name, sprintf("%.6g", value) }
