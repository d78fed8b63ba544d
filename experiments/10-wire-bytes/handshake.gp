# handshake: bytes of the opening handshake, request and response, by server. Reads reduced/points.tsv.

figure_title = "The opening handshake: bytes of request and response"
drawn_workloads = "frames"
metrics = "handshake_up_b handshake_down_b"
words_of(metric) = metric eq "handshake_up_b" ? "request, B" : "response, B"
criterion_low = "200 200"
criterion_high = "500 500"
criterion_words(metric) = "criterion: " . (metric eq "handshake_up_b" ? "request" : "response") . " of 200 to 500 B"
note_words = "HTTP alone, without the layers below. The client is ws in each."
load plots . "/glance.gp"
