# cpu: what a client that waits for updates costs the server.

figure_title = "The server's CPU, per client and second"
note_words = "CPU of all the server's processes over the window, µs."
metrics = "server_cpu_us_per_client_s"
words_of(metric) = "µs of server CPU per client and second"
load plots . "/glance.gp"
