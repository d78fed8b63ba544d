# crash: how soon is a worker that was killed replaced, and how soon is the last of its clients back?

figure_title = "A worker killed under load"
note_words = "Back: the longest that a client was without a connection, from its drop."
drawn_workloads = "eager library"
metrics = "respawn_s recovery_s"
words_of(metric) = metric eq "respawn_s" ? "worker replaced after, s" : "last client back after, s"
criterion_low = "- 2"
criterion_high = "- 5"
criterion_words(metric) = "criterion: 2 to 5 s"
load plots . "/glance.gp"
