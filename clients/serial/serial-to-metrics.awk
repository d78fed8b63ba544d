#!/usr/bin/awk -f
# serial-to-metrics: the medians of a trial whose load went in rounds (clients/serial).
#
#   (head -n 1 serial.tsv; tail -n +2 serial.tsv | sort -t "$(printf '\t')" -k 5,5g) | awk -v from_s=1 -v to_s=4 -f serial-to-metrics.awk
#
# serial.tsv  t_s, round, quantity, size_b, us; its lines sorted by us, for what is picked from a sorted list is in order
# Output:     metric, value: connect_us, echo_us_<size>; echo_slow_share_<size>: of the echoes of a size up to 100 kB, the share that took
#             longer than 20 ms, which none does but by waiting; warm_drift: by how much the median of the smallest echo in the second
#             half of the window differs from that in the first, as a share of the latter, and connect_drift, the same of connecting.
#             What began outside the window is left out.
#
#   metric       value
#   connect_us   152.4
#   echo_us_1    61.02
#   echo_slow_share_1 0
#   warm_drift   0.0121
#   connect_drift 0.0210

BEGIN { FS = OFS = "\t"; slow_us = 20000; slow_size_max_b = 100000 }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "metric", "value"; next }

$column["t_s"] + 0 < from_s || $column["t_s"] + 0 >= to_s { next }

$column["quantity"] == "connect" { keep("connect"); keep(half_of("connect")); next }

{
  size_b = $column["size_b"]
  if (!(size_b in count)) sizes[++size_count] = size_b
  keep(size_b); keep(half_of(size_b))
  if ($column["us"] + 0 > slow_us) slow[size_b]++
}

END {
  if (count["connect"] > 0) put("connect_us", median_of_key("connect"))
  for (i = 2; i <= size_count; i++) for (j = i; j > 1 && sizes[j - 1] + 0 > sizes[j] + 0; j--) { held = sizes[j]; sizes[j] = sizes[j - 1]; sizes[j - 1] = held }
  for (i = 1; i <= size_count; i++) put("echo_us_" sizes[i], median_of_key(sizes[i]))
  for (i = 1; i <= size_count; i++) if (sizes[i] + 0 <= slow_size_max_b) put("echo_slow_share_" sizes[i], slow[sizes[i]] / count[sizes[i]])
  put_drift("warm_drift", sizes[1])
  put_drift("connect_drift", "connect")
}

function keep(key) { us[key, ++count[key]] = $column["us"] }
function half_of(key) { return key ($column["t_s"] + 0 < (from_s + to_s) / 2 ? " first" : " second") }
function put_drift(name, key,    first, second) {
  first = key " first"; second = key " second"
  if (count[first] > 0 && count[second] > 0) put(name, absolute(median_of_key(second) / median_of_key(first) - 1))
}

function median_of_key(key,    n) {
  n = count[key]
  return n % 2 ? us[key, (n + 1) / 2] : (us[key, n / 2] + us[key, n / 2 + 1]) / 2
}
function absolute(x) { return x < 0 ? -x : x }
function put(name, value) { print name, sprintf("%.6g", value) }
