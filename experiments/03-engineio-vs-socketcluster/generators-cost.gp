# generators-cost: what a message costs the client, and the server, under each of two generators.
figure_title = "Two generators, the same load: CPU seconds per 1,000 pings and their answers"
metrics = "client_cpu_s_per_1k server_cpu_s_per_1k"
axis_words(metric) = (metric[1:6] eq "client" ? "client" : "server") . " CPU s per 1,000 messages"
note_words = "From the kernel's accounts over the measuring window; a client's recorder is left out.\n" \
  . "What the server spends a message agrees where the interval of its ratio holds 1."
load plots . "/generators.gp"
