# glance: are 42,000 connections held, what does each cost, and how soon are clients back after a crash?

figure_title = "42,000 connections, and a worker killed"
note_words = "Back: from the kill of a worker until the last client that lost its connection has another."
metrics = "connected_share worker_rss_kb_per_connection respawn_s recovery_s"
words_of(metric) = metric eq "connected_share" ? "connections alive, of those asked for" : metric eq "respawn_s" ? "worker replaced after, s" : metric eq "recovery_s" ? "last client back after, s" : "memory of the workers, kB a connection"
criterion_low = "- - - 2"
criterion_high = "- - - 5"
criterion_words(metric) = "criterion: 2 to 5 s"
load plots . "/glance.gp"
