#!/usr/bin/awk -f
# sar-to-series: the machine, second by second, from `sar -u ALL -P ALL -w -q 1`.
#
#   awk -f sar-to-series.awk samplers.tsv sar.txt > series
#
# samplers.tsv   sampler, launched_s    when sar was started, in seconds from the start of the load
# sar.txt        sar's own output: each report begins with an empty line and a line of names
#
# Output: t_s (the end of sar's interval), side, process, quantity, value
#
#   t_s   side  process  quantity     value
#   0.7   host  core 0   cpu_pct      75.0
#   0.7   host  machine  switches_hz  20322.00
#
# Steal, and waiting for a disk, are not use. Reports of before the load are left out.

BEGIN { OFS = "\t"; print "t_s", "side", "process", "quantity", "value" }

FNR == NR { if ($1 == "sar") launched_s = $2; next }

/^Average:/ { exit }

NF == 0 { begins = 1; next }

begins { begins = 0; split("", column); for (i = 2; i <= NF; i++) column[$i] = i; t_s = launched_s + ++reports[$2]; next }

t_s < 0.5 { next }

"CPU" in column && $2 != "all" { print_row("core " $2, "cpu_pct", sprintf("%.1f", 100 - $column["%idle"] - $column["%iowait"] - $column["%steal"])) }

"cswch/s" in column { print_row("machine", "switches_hz", $column["cswch/s"]) }

"ldavg-1" in column {
  print_row("machine", "running", $column["runq-sz"])
  print_row("machine", "load_1min", $column["ldavg-1"])
}

function print_row(process, quantity, value) { printf "%.1f\thost\t%s\t%s\t%s\n", t_s, process, quantity, value }
