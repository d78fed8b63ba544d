# connection: what a connection costs beside its messages: to open it, to keep it and to close it; bytes of both directions, stacked by layer.
# Reads reduced/connection.tsv.

figure_title = "A connection beside its messages: opening, a ping and its pong, closing"
bars = reduced . "/connection.tsv"
parts = "Ethernet IP TCP TLS HTTP WebSocket"
fills = "#ffffff #d8d8d8 #a8a8a8 #303030 #c8e0f4 #c04000"
letters = "e i t s h w"
tls_words(tls) = tls eq "none" ? "without TLS" : "TLS " . tls
name_of_bar(bar) = (stringcolumn("step") eq "handshake" ? "opening" : stringcolumn("step") eq "heartbeat" ? "ping and pong" : "closing") . ", " . (stringcolumn("engine") eq "uws" ? "Bun" : stringcolumn("engine")) \
  . ", " . tls_words(stringcolumn("tls"))
tail_words(total, packets, source) = sprintf("%s B in %d packet%s", number(total), packets, packets == 1 ? "" : "s")
note_words = "Means of all frames of both directions, acknowledgements too; TCP timestamps off." \
  . "\nOver TLS the WebSocket header is the formula's, and TLS what is left." \
  . "\nOpening is TCP's handshake, TLS's and HTTP's; closing is WebSocket's, TLS's and TCP's. One certificate, self-signed, of an elliptic curve."
versions_words = versions("today")
load plots . "/bars.gp"
