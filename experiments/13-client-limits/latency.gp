# latency: how long does an answer take, by the connections and the number of clients, and by who measures it?

figure_title = "Latency that a client measures, against its connections"
note_words = "Connections are of each client. Together: all messages of a second fall due at once, as the source's schedule has it; apart: at random phases."
metrics = "latency_p50_ms latency_p99_ms client_cpu_s_per_1k"
words_of(metric) = metric eq "latency_p50_ms" ? "p50, ms" : metric eq "latency_p99_ms" ? "p99, ms" : "client's CPU, ms a message"
load plots . "/glance.gp"
