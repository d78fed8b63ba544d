# echo: time of an echo against its size, WebSocket beside TCP of the same runtime. Reads reduced/points.tsv.

figure_title = "Time of an echo against its size, over a WebSocket and over TCP alone"
note_words = "From the call to send until the last byte is back, by the client's own clock; median of the window of each trial. Both axes logarithmic.\nFilled and coloured: a WebSocket. Open and grey: TCP alone, of the same runtime."
table = reduced . "/points.tsv"
wanted = engines
is_shown(engine, setting) = is_plain(setting) && stringcolumn("metric")[1:8] eq "echo_us_"
load plots . "/rounds-of-sizes.gp"
