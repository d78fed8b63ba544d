# connect: how long it took to connect, as distributions. Reads reduced/connect.tsv.

figure_title = "Time to set up a connection: a WebSocket session, and TCP alone"
note_words = "The share of all connections that was set up within so long, by the client's own clock.\nDashed: with TLS 1.3, a whole handshake each time. " . (is_over_hosts ? "On what lies between the hosts." : "A gigabit a second, 100 us of round trip added.") . " The source's bars: TCP 0.965 ms, WebSocket 3.533 ms."
table = reduced . "/connect.tsv"
wanted = engines
is_shown(engine, setting) = (value_in(setting, "rtt_us") eq "100" || is_over_hosts) && value_in(setting, "reading") eq ""
x_of_row(unused) = column("us")
y_column = "share"
whiskers = 0
is_marked(unused) = int(100 * column("share") + 0.5) % 10 == 0
x_words = "time to connect, us"
y_words = "share of connections set up within"
is_log_x = 1; y_from = 0; y_to = 1.45; is_log_y = 0
x_tics = 'set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ("30" 30, "100" 100, "300" 300, "1,000" 1e3, "3,000" 3e3, "10,000" 1e4, "30,000" 3e4, "100,000" 1e5)'
y_tics = 'set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ("0" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1)'
key_place = 'set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 2 spacing 0.95'
load plots . "/rounds.gp"
