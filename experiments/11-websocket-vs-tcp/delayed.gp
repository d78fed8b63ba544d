# delayed: how many echoes waited, with and without TCP_NODELAY. Reads reduced/points.tsv.

figure_title = "Share of echoes that took longer than 20 ms, with TCP_NODELAY and with Nagle's algorithm"
note_words = "Nothing but waiting takes an echo of up to 100 kB so long: for the acknowledgement of a segment, which may be put off for 40 ms, or for a CPU.\nSolid: TCP_NODELAY on both ends. Dashed: with Nagle's algorithm. Engines that were measured both ways. 0.01 is one echo in a hundred."
table = reduced . "/points.tsv"
wanted = ""
do for [point in planned] { if (value_in(setting_of(point), "nodelay") eq "off") { wanted = add(wanted, engine_of(point)) } }
is_shown(engine, setting) = is_in(wanted, engine) && value_in(setting, "tls") eq "" && value_in(setting, "rate_mbit") eq "" && stringcolumn("metric")[1:16] eq "echo_slow_share_"
most = 0.02
most_of(unused) = !is_shown(stringcolumn("engine"), stringcolumn("setting")) ? 0 : (most = column("mean") > most ? column("mean") : most, most = stringcolumn("high") ne "-" && column("high") > most ? column("high") : most, 0)
stats table using (most_of(0)) nooutput
x_of_row(unused) = real(stringcolumn("metric")[17:*])
y_column = "mean"
whiskers = 1
is_marked(unused) = 1
x_words = "size of the payload, each way"
y_words = "share of echoes over 20 ms"
is_log_x = 1; y_from = -0.03 * most; y_to = 1.5 * most; is_log_y = 0
x_tics = 'set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ("1 B" 1, "10 B" 10, "100 B" 1e2, "1 kB" 1e3, "10 kB" 1e4, "100 kB" 1e5)'
y_tics = 'set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 autofreq'
key_place = 'set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 2 spacing 0.95'
load plots . "/rounds.gp"
