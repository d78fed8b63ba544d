# fanout: what does it cost to send a message of one to all, and when do they have it?

figure_title = "One sends, all receive: cost of a delivery, and its delay"
note_words = "Ten messages a second by one of the connections, each to all of them, the sender too. Engines without the behaviour broadcast are not measured."
metrics = "server_cpu_s_per_1k latency_p50_ms latency_p99_ms"
words_of(metric) = metric eq "server_cpu_s_per_1k" ? "CPU ms a delivery" : metric eq "latency_p50_ms" ? "p50 of all deliveries, ms" : "p99, ms"
log_metrics = metrics
drawn_workloads = "fanout"
load plots . "/glance.gp"
