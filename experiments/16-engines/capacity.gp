# capacity: how much does one core answer, at what a CPU second, and what does opening a connection cost?

figure_title = "One core: saturation, messages a CPU second at 80 % of it, and opening"
note_words = "Where the core of the load was busy before the server's, saturation is that of both (the engine may answer more); make rank names those."
metrics = "saturation_hz messages_per_cpu_s_at_80 server_cpu_ms_per_connection"
words_of(metric) = metric eq "saturation_hz" ? "messages a second, at most" : metric eq "messages_per_cpu_s_at_80" ? "messages a CPU second, at 80 %" : "CPU ms to open a connection"
log_metrics = metrics
drawn_workloads = "sweep"
load plots . "/glance.gp"
