# memory: what does a connection take that says nothing, in the server's processes and in the kernel?

figure_title = "Memory of an idle connection, bytes: the server's and the kernel's"
note_words = "Growth from before the first connection to the window's end, over the connections; nothing is sent.\nServer: resident memory of its processes; kernel: half of the machine's objects and stacks.\nTheir sum stands first."
metrics = "memory_b_per_idle_connection server_b_per_idle_connection kernel_b_per_idle_connection"
words_of(metric) = metric eq "memory_b_per_idle_connection" ? "both, bytes" : metric eq "server_b_per_idle_connection" ? "server's processes" : "kernel, at the server's end"
log_metrics = "memory_b_per_idle_connection server_b_per_idle_connection"
drawn_workloads = "idle"
load plots . "/glance.gp"
