# capacity: how much does one core answer, at what a CPU second, and what does opening a connection cost?

figure_title = "One core: saturation, messages a CPU second of a core 80 % busy, and opening"
note_words = "Saturation: the highest rate answered without falling behind, under the load of one core."
metrics = "saturation_hz messages_per_cpu_s_at_load_80 server_cpu_ms_per_connection"
words_of(metric) = metric eq "saturation_hz" ? "messages a second, at most" : metric eq "messages_per_cpu_s_at_load_80" ? "messages a CPU second, 80 % busy" : "CPU ms to open a connection"
log_metrics = metrics
drawn_workloads = "sweep"
load plots . "/glance.gp"
