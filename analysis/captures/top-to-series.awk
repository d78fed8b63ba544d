#!/usr/bin/awk -f
# top-to-series: CPU of each process, second by second, from `top -b -d 1`, by thread (-H) or not.
#
#   awk [-v by=thread] -f top-to-series.awk samplers.tsv accounts.tsv [threads.tsv] top.txt > series
#
# samplers.tsv   sampler, launched_s           when top was started, in seconds from the start of the load
# accounts.tsv   pid, side, role, index        the processes, several times
# threads.tsv    mark, t_s, pid, tid, cpu_ns   and more: the kernel's own account of each of their threads, where it was read
# top.txt        top's own output; its second line begins with "Threads:" where it is by thread
# by             thread: a line for each thread, not for each process
#
# Output: t_s, side, process, pid, cpu_pct; by thread t_s, side, process, pid, tid, name, cpu_pct. t_s is the end of top's interval
#
#   t_s   side    process   pid   cpu_pct
#   1.2   server  worker 1  4711  38.0
#
#   t_s   side    process   pid   tid   name        cpu_pct
#   1.2   server  worker 1  4711  4711  MainThread  30.0
#   1.2   server  worker 1  4711  4712  V8Worker    8.0
#
# By thread, top of procps 4.0.2 shows in the line of a process's first thread the time of all its threads; others show the first
# thread's own. The kernel's accounts tell which: over the window, the lines of first threads together are nearer to what it
# counted for whole processes, or to what it counted for their first threads. In the first case the other threads' lines are
# taken from the first one's for the thread, and the first one's is the process's; in the second the process is the sum. Where
# the two can't be told apart there is next to nothing in other threads. Without threads.tsv (older captures) or
# without a screen in the window, lines are taken as those of procps 4.0.2.
#
# The first screen is left out: it shows the mean since each process began, not an interval; and so are the screens of the
# warm-up, more than half of whose interval lies before the start of the load.
# A process of ours that top does not show in a screen has not begun or has ended: it gets no line.

BEGIN {
  FS = OFS = "\t"; files = ARGC - 1
  if (by == "thread") print "t_s", "side", "process", "pid", "tid", "name", "cpu_pct"
  else print "t_s", "side", "process", "pid", "cpu_pct"
}

FNR == 1 { file++; split("", column); for (i = 1; i <= NF; i++) column[$i] = i; if (file < files) next }

file == 1 { if ($column["sampler"] == "top") launched_s = $column["launched_s"]; next }

file == 2 {
  pid = $column["pid"]
  if (!(pid in side)) { order[++processes] = pid; is_ours[pid] }
  side[pid] = $column["side"]
  name[pid] = $column["role"] " " $column["index"]
  next
}

file < files { read_account($column["mark"], $column["t_s"], $column["pid"], $column["tid"], $column["cpu_ns"]); next }

/^top - / { screens++; in_table = 0; next }

/^Threads:/ { by_thread = 1; next }

{ sub(/^ +/, ""); count = split($0, cell, / +/) }

cell[1] == "PID" { for (i = 1; i <= count; i++) if (cell[i] == "%CPU") cpu_column = i; name_column = count; in_table = 1; next }

in_table && (cell[1] in is_ours) { used[screens, cell[1]] = cell[cpu_column]; thread_name[cell[1]] = cell[name_column] }

END {
  is_whole = by_thread && holds_whole_process()
  for (screen = 2; screen <= screens; screen++) if (end_of(screen) >= 0.5) for (i = 1; i <= processes; i++) print_process(screen, order[i])
}

function end_of(screen) { return launched_s + screen - 1 }

# Other threads of a process, and how much the kernel counted in the window for first threads and for all.
function read_account(mark, t_s, pid, tid, cpu_ns) {
  if (tid != pid && !(tid in is_ours)) { other[pid, ++others[pid]] = tid; is_ours[tid] }
  if (mark == "window_start") { from_s = t_s; from_ns[tid] = cpu_ns }
  if (mark != "window_end") return
  to_s = t_s
  all_s += (cpu_ns - from_ns[tid]) / 1e9
  if (tid == pid) first_s += (cpu_ns - from_ns[tid]) / 1e9
}

# Do the lines of first threads show whole processes?
function holds_whole_process(    screen, i, seen, shown_s, window_s) {
  for (screen = 2; screen <= screens; screen++) {
    if (end_of(screen) - 1 < from_s - 0.5 || end_of(screen) > to_s + 0.5) continue
    seen++
    for (i = 1; i <= processes; i++) shown_s += used[screen, order[i]] / 100
  }
  if (!seen || to_s <= from_s) return 1
  window_s = to_s - from_s
  return distance(shown_s / seen, all_s / window_s) < distance(shown_s / seen, first_s / window_s)
}

function distance(a, b) { return a > b ? a - b : b - a }

function print_process(screen, pid,    i, tid, first, rest, labels) {
  if (used[screen, pid] == "") return
  for (i = 1; i <= others[pid]; i++) rest += used[screen, other[pid, i]]
  labels = sprintf("%.1f", end_of(screen)) OFS side[pid] OFS name[pid] OFS pid
  if (by != "thread") { print labels, sprintf("%.1f", used[screen, pid] + (is_whole ? 0 : rest)); return }
  first = used[screen, pid] - (is_whole ? rest : 0)
  print labels, pid, thread_name[pid], sprintf("%.1f", first > 0 ? first : 0)
  for (i = 1; i <= others[pid]; i++) {
    tid = other[pid, i]
    if (used[screen, tid] != "") print labels, tid, thread_name[tid], used[screen, tid]
  }
}
