# echo: time of an echo against its size, WebSocket beside TCP of the same runtime. Reads reduced/points.tsv.

figure_title = "Time of an echo against its size, over a WebSocket and over TCP alone"
note_words = "From the call to send until the last byte is back; median of each trial's window. Both axes logarithmic.\nFilled: a WebSocket; open and grey: TCP alone, dashed where it reads a message whole before it answers. " . (is_over_hosts ? "On what lies between the hosts." : "A gigabit a second, 100 us of round trip added.")
table = reduced . "/points.tsv"
wanted = engines
is_shown(engine, setting) = (value_in(setting, "rtt_us") eq "100" || is_over_hosts) && value_in(setting, "tls") eq "" && stringcolumn("metric")[1:8] eq "echo_us_"
load plots . "/rounds-of-sizes.gp"
