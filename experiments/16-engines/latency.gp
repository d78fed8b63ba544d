# latency: how long does a message take where each server has an equal share of the load that it can take?

figure_title = "Latency at 50 and at 80 % of each engine's own saturation"
note_words = "From when a message was due until its echo was there; at random times, on 400 connections."
metrics = "latency_p50_ms_at_50 latency_p99_ms_at_50 latency_p50_ms_at_80 latency_p99_ms_at_80"
words_of(metric) = (metric[9:11] eq "p50" ? "p50, ms" : "p99, ms") . (metric[19:20] eq "50" ? ", at 50 %" : ", at 80 %")
log_metrics = metrics
drawn_workloads = "sweep"
load plots . "/glance.gp"
