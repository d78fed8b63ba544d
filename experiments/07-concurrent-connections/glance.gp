# glance: are all connections held, and at what cost to the busiest process?

figure_title = "25,000 connections: held, and how evenly"
note_words = "Memory is that of all workers over the connections."
metrics = "connected_share busiest_cpu_cores worker_rss_kb_per_connection"
words_of(metric) = metric eq "connected_share" ? "connections alive, of those asked for" : metric eq "busiest_cpu_cores" ? "CPU of the busiest process, cores" : "memory of the workers, kB a connection"
load plots . "/glance.gp"
