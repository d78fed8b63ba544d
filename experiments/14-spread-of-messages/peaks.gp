# peaks: do the same messages pass faster over fewer connections?

figure_title = "Peaks of as many messages, over more and fewer connections"
note_words = "All messages of a peak fall due at once. Throughput: messages a second of the server's CPU, by the kernel's accounts."
metrics = "messages_per_cpu_s latency_p50_ms latency_p99_ms"
words_of(metric) = metric eq "messages_per_cpu_s" ? "messages a CPU second of the server" : metric eq "latency_p50_ms" ? "half answered after, ms" : "99 % answered after, ms"
load plots . "/glance.gp"
