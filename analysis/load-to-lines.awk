#!/usr/bin/awk -f
# load-to-lines: the lines of one panel of a load figure, a blank line between two processes.
#
#   engine=E workload=W setting=S side=server process=worker awk -f load-to-lines.awk load.tsv > lines
#
# load.tsv  era, engine, workload, setting, side, process, quantity, t_s, n, median, least, most
# process   a role, for a line of each of its processes, or one of them by name: "worker 1"
# Output:   t_s, median, least, most
#
#   t_s  median  least  most
#   4    38      36     41
#   5    39      37     42
#
#   4    35      30     40

# Of the environment, which no awk reads escapes in, as it does in what -v gives
BEGIN {
  engine = ENVIRON["engine"]; workload = ENVIRON["workload"]; setting = ENVIRON["setting"]; side = ENVIRON["side"]; process = ENVIRON["process"]
}

BEGIN { FS = OFS = "\t"; print "t_s", "median", "least", "most" }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

$column["engine"] != engine || $column["workload"] != workload || $column["setting"] != setting || $column["side"] != side { next }

{ name = $column["process"]; role = name; sub(/ .*/, "", role) }

name != process && role != process { next }

{
  if (drawn != "" && name != drawn) print ""
  drawn = name
  print $column["t_s"], $column["median"], $column["least"], $column["most"]
}
