# glance: do two client processes connect twice as many, and do they share the work?

figure_title = "What a second client process brings"
note_words = "Work is shared evenly where the processes' CPU differs little: (busiest - idlest) / mean."
metrics = "connected_at_end connected_share client_cpu_spread"
words_of(metric) = metric eq "connected_at_end" ? "connections at the end" : metric eq "connected_share" ? "share of those asked for" : "difference of the clients' CPU / their mean"
criterion_low = "- - -"
criterion_high = "- - 0.1"
criterion_words(metric) = "criterion: under 0.1"
load plots . "/glance.gp"
