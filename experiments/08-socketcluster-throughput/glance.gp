# glance: how many messages does a CPU second carry?

figure_title = "SocketCluster's throughput: messages a second, and what they cost"
note_words = "Messages are pings that were answered; those a CPU second of all server processes are comparable between machines of one age only."
metrics = "saturation_hz messages_per_cpu_s worker_descriptors_cv"
words_of(metric) = metric eq "saturation_hz" ? "messages a second, at most" : metric eq "messages_per_cpu_s" ? "messages per CPU second" : "connections over workers: sd / mean"
criterion_low = "- 27380 -"
criterion_high = "- - 0.2"
criterion_words(metric) = metric eq "messages_per_cpu_s" ? "README, set to be sent: 27,380" : "by chance alone: 0.2"
log_metrics = "saturation_hz messages_per_cpu_s"
load plots . "/glance.gp"
