# mix: what 1,000 messages cost server and clients at the source's mix of opening, keeping and messages.

figure_title = "What 1,000 pings and their answers cost at the source's mix, opening included"
note_words = "CPU seconds per 1,000 messages of 2,400 connections, opened over 60 s and held for 20 s, by a sweep (steps-to-mixes.awk)." \
  . "\nDescribed: a ping each 2.5 s from each; listed: 1.9 a second."
metrics = "server_cpu_s_per_1k_at_described server_cpu_s_per_1k_at_listed client_cpu_s_per_1k_at_described client_cpu_s_per_1k_at_listed"
words_of(metric) = (metric[1:6] eq "server" ? "server, " : "clients, ") . (strstrt(metric, "described") ? "described" : "listed")
drawn_workloads = "sweep"
load plots . "/glance.gp"
