# glance: what is lost when a server has more processes than cores?

figure_title = "More processes than cores: connections, switches, latency"
note_words = "Switches: involuntary ones. The process did not ask for them: another took its place on the core."
metrics = "connected_share server_involuntary_per_1k latency_p50_ms"
words_of(metric) = metric eq "connected_share" ? "connections alive, of those asked for" : metric eq "latency_p50_ms" ? "latency from due, median, ms" : "switches per 1,000 messages"
criterion_low = "- - -"
criterion_high = "0.9 - -"
criterion_words(metric) = "criterion: under 0.9"
log_metrics = "latency_p50_ms server_involuntary_per_1k"
load plots . "/glance.gp"
