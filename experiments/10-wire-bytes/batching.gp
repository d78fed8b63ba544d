# batching: eight messages of 13 bytes, one by one, in one segment, and as one message; without TLS and with; bytes stacked by layer.
# Figures 1.6 and 1.7 of the thesis. Reads reduced/batching.tsv.

figure_title = "Eight messages of 13 bytes: one by one, in one segment, as one message"
bars = reduced . "/batching.tsv"
parts = "Ethernet IP TCP TLS WebSocket payload"
fills = "#ffffff #d8d8d8 #a8a8a8 #303030 #c04000 #f0c8a8"
letters = "e i t s w p"
words_of(step, way) = step eq "single" ? "one by one" : step eq "batched" ? "as one message" : way eq "up" ? "in one write" : "answers to that"
tls_words(tls) = tls eq "none" ? "without TLS" : "TLS " . tls
name_of_bar(bar) = words_of(stringcolumn("step"), stringcolumn("direction")) . ", " . (stringcolumn("direction") eq "up" ? "client" : stringcolumn("engine") eq "uws" ? "Bun" : stringcolumn("engine")) \
  . ", " . tls_words(stringcolumn("tls"))
tail_words(total, segments, source) = sprintf("%d B in %d segment%s%s", total, segments, segments == 1 ? "" : "s", source > 0 ? sprintf("; source %d", source) : "")
note_words = "Means of the frames that carry bytes of the stream, without those that only acknowledge, as the thesis counts them." \
  . "\nThe source: Chrome 34 and, in one segment, Autobahn, by the thesis. TCP timestamps off, as there." \
  . "\nOver TLS the WebSocket header is the formula's, and TLS what is left." \
  . "\nEthernet is its header of 14 bytes, without preamble, checksum and gap."
versions_words = versions("today")
load plots . "/bars.gp"
