# bytes: what goes over the wire for a client in a second, to the server and from it.

figure_title = "Bytes on the wire, per client and second"
note_words = "At the client's interface, with the headers of TCP, IP and Ethernet, and acknowledgements. An update is 20 B."
metrics = "wire_up_b_per_client_s wire_down_b_per_client_s"
words_of(metric) = metric eq "wire_up_b_per_client_s" ? "to the server, B/s per client" : "from the server, B/s per client"
log_metrics = metrics
load plots . "/glance.gp"
