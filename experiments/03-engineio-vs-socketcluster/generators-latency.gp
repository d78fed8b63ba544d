# generators-latency: the median latency of an engine by its own client library, and by one neutral client.
figure_title = "Two generators, the same load: median latency of a ping and its answer"
metrics = "latency_p50_ms"
axis_words(metric) = "p50 from the time it was due, ms"
note_words = "The server is the same: what the two differ by lies with the clients (their timers, their libraries) and with the cores that both sides share."
load plots . "/generators.gp"
