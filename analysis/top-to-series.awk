#!/usr/bin/awk -f
# top-to-series: CPU of each process, second by second, from `top -b -d 1`.
#
#   awk -f top-to-series.awk samplers.tsv accounts.tsv top.txt > series
#
# samplers.tsv   sampler, launched_s      when top was started, in seconds from the start of the load
# accounts.tsv   pid, side, role, index   the processes, several times
# top.txt        top's own output; in captures of before 2026-11-22 by thread (-H), where top of procps 4.0.2 shows the whole process in the line
#                of its first thread
#
# Output: t_s, side, process, pid, cpu_pct    t_s is the end of top's interval
#
#   t_s   side    process   pid   cpu_pct
#   1.2   server  worker 1  4711  38.0
#
# The first screen is left out: it shows the mean since each process began, not an interval; and so are the screens of the
# warm-up, more than half of whose interval lies before the start of the load.
# A process of ours that top does not show in a screen has not begun or has ended: it gets no line.

BEGIN { FS = "\t"; OFS = "\t"; print "t_s", "side", "process", "pid", "cpu_pct" }

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file < 3) next }

file == 1 { if ($column["sampler"] == "top") launched_s = $column["launched_s"]; next }

file == 2 {
  pid = $column["pid"]
  if (!(pid in side)) order[++processes] = pid
  side[pid] = $column["side"]
  name[pid] = $column["role"] " " $column["index"]
  next
}

/^top - / { flush_screen(); screens++; in_table = 0; next }

{ sub(/^ +/, ""); count = split($0, cell, / +/) }

cell[1] == "PID" { for (i = 1; i <= count; i++) if (cell[i] == "%CPU") cpu_column = i; in_table = 1; next }

in_table && (cell[1] in side) { used[cell[1]] = cell[cpu_column] }

END { flush_screen() }

function flush_screen(    i, pid) {
  for (i = 1; screens > 1 && launched_s + screens - 1 >= 0.5 && i <= processes; i++) {
    pid = order[i]
    if (pid in used) printf "%.1f\t%s\t%s\t%d\t%.1f\n", launched_s + screens - 1, side[pid], name[pid], pid, used[pid]
  }
  split("", used)
}
