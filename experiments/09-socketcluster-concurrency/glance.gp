# glance: are 42,000 connections held, and what does each cost?

figure_title = "42,000 connections: held, and what each costs"
note_words = "Memory is that of all workers over the connections."
drawn_workloads = "described"
metrics = "connected_share busiest_cpu_cores worker_rss_kb_per_connection"
words_of(metric) = metric eq "connected_share" ? "connections alive, of those asked for" : metric eq "busiest_cpu_cores" ? "CPU of the busiest process, cores" : "memory of the workers, kB a connection"
load plots . "/glance.gp"
