#!/usr/bin/awk -f
# pidstat-to-series: context switches of each process, second by second, from `pidstat -w -h -H 1`.
#
#   awk -f pidstat-to-series.awk samplers.tsv accounts.tsv pidstat.txt > series
#
# samplers.tsv   sampler, launched_s        when pidstat was started, in seconds from the start of the load
# accounts.tsv   pid, side, role, index     the processes, several times
# pidstat.txt    pidstat's own output: before each report a line of names that begins with #
#
# Output: t_s (the end of pidstat's interval), side, process, quantity, value
#
#   t_s   side    process   quantity        value
#   0.7   server  worker 1  voluntary_hz    330.00
#   0.7   server  worker 1  involuntary_hz  1144.00
#
# Of a process pidstat counts the switches of its first thread alone. Reports of before the load are left out.

BEGIN { FS = OFS = "\t"; print "t_s", "side", "process", "quantity", "value" }

FNR == 1 && ++file == 3 { FS = " " }

file < 3 { if (FNR == 1) { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next } }

file == 1 { if ($column["sampler"] == "pidstat") launched_s = $column["launched_s"]; next }

file == 2 { pid = $column["pid"]; side[pid] = $column["side"]; name[pid] = $column["role"] " " $column["index"]; next }

/^#/ { split("", column); for (i = 2; i <= NF; i++) column[$i] = i - 1; t_s = launched_s + ++reports; next }

t_s >= 0.5 && $column["PID"] in side && side[$column["PID"]] != "capture" {
  print_row($column["PID"], "voluntary_hz", $column["cswch/s"])
  print_row($column["PID"], "involuntary_hz", $column["nvcswch/s"])
}

function print_row(pid, quantity, value) { printf "%.1f\t%s\t%s\t%s\t%s\n", t_s, side[pid], name[pid], quantity, value }
