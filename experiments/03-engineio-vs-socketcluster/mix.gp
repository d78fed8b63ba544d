# mix: what 1,000 messages cost server and clients at the source's mix of opening, keeping and messages: measured where the
# source's load was run whole (profile paper), else computed from a sweep.

is_whole = 0
stats reduced . "/points.tsv" using (is_whole = is_whole || stringcolumn("workload") eq "described", 0) nooutput
figure_title = "What 1,000 pings and their answers cost at the source's mix, opening included"
load_words = "CPU seconds per 1,000 messages of 2,400 connections, opened over 60 s and held for 20 s, "
rate_words(listed) = "\nDescribed: a ping each 2.5 s from each; listed: " . listed . "."
if (is_whole) {
  note_words = load_words . "measured whole." . rate_words("each at an interval of its own, so that a block has its own rate")
  metrics = "server_cpu_s_per_1k_whole client_cpu_s_per_1k_whole"
  drawn_workloads = "described listed"
} else {
  note_words = load_words . "by a sweep (mixes.js)." . rate_words("1.9 a second")
  metrics = "server_cpu_s_per_1k_at_described server_cpu_s_per_1k_at_listed client_cpu_s_per_1k_at_described client_cpu_s_per_1k_at_listed"
  drawn_workloads = "sweep"
}
side_of(metric) = metric[1:6] eq "server" ? "server" : "clients"
words_of(metric) = side_of(metric) . (is_whole ? ", CPU s/1,000" : strstrt(metric, "described") ? ", described" : ", listed")
load plots . "/glance.gp"
