# rates: the rates per connection that the listing's draw of an interval makes. Reads reduced/{rates,totals}.tsv.

figure_title = "The listing's \"mean period of 2.5 s\": how often its connections really send"
rates = reduced . "/rates.tsv"
totals = reduced . "/totals.tsv"

# --- what the tables hold
suggested_hz = NaN; said = ""; is_measured = 0
words_of(source) = source eq "suggested" ? "by the mean interval" : source
hundredth_words(text) = text eq "-" ? "" : sprintf("; the fastest 1 %% send %.0f %% of all", 100 * real(text))
block_words(least, most) = least eq "-" ? "" : sprintf(" (%.2f to %.2f by block)", real(least), real(most))
count_words(text) = text eq "-" ? "" : sprintf(", %s connections", text)
look(source) = (source eq "suggested" ? (suggested_hz = column("mean_hz")) : 0, is_measured = is_measured || source eq "measured", \
  said = said . (said eq "" ? "" : "\n") . sprintf("%s: %.2f messages / s per connection%s%s%s", words_of(source), column("mean_hz"), \
  block_words(stringcolumn("least_hz"), stringcolumn("most_hz")), count_words(stringcolumn("connections")), hundredth_words(stringcolumn("fastest_hundredth_share"))), 0)
stats totals using (look(stringcolumn("source"))) nooutput

# --- where a panel goes
left = wide(10, 58)
panel_width = wide(112, (width - left - 14 - 62) / 2)
panel_height = high(20, 250)
left_of(p) = left + column_at(p) * (panel_width + 62)
top_of(p) = high(10, 128) + row_at(p) * (panel_height + 5)
bottom = top_of(2) + panel_height + high(4, 44)

figure_caption = "Left: the rate that so many of the connections have or exceed. Right: the share of all messages that the fastest so many send.\n" \
  . "Listing A.1 draws Math.round(Math.random() * 5000) ms for each connection; a timer of 0 ms waits 1 ms. The mean of the rates is\n" \
  . "the mean of the reciprocals, not the reciprocal of the mean." . (is_measured ? " Measured: in the window, each block's draws once." : " Nothing measured: no trial recorded its connections.") . "\n" \
  . (is_measured ? versions("2014") . "\n" : "") . caption
eval open_figure
eval write("said", edge(10), high(3, 56), "left", face)
plot NaN notitle

# --- the panels
set border 3 lw 0.7
set logscale x
set xrange [1e-4 : 1]
set xtics ("1 in 10,000" 1e-4, "1 in 1,000" 1e-3, "1 in 100" 1e-2, "1 in 10" 0.1, "all" 1) nomirror out scale 0.5 font face_small offset 0, 0.4
is_of(source) = stringcolumn("source") eq source
do for [p = 1 : 2] {
  unset label
  eval place(left_of(p), top_of(p), left_of(p) + panel_width, top_of(p) + panel_height)
  head = p == 1 ? "rate of a connection, messages a second" : "share of all messages"
  eval write("head", edge(left_of(p) - 48), top_of(p) - above(14), "left", face_bold)
  eval write("'the fastest so many of the connections'", left_of(p) + panel_width / 2.0, top_of(p) + panel_height + below(27), "center", face_small)
  value = p == 1 ? "rate_hz" : "messages_share"
  if (p == 1) {
    set logscale y; set yrange [0.1 : 2000]
    set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g" (0.1, 1, 10, 100, 1000)
  } else {
    unset logscale y; set yrange [0 : 1.02]
    set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 format "%g" 0, 0.2
  }
  if (p == 1) { set key right top vertical Left reverse font face_small samplen 2 spacing 0.95 } else { set key left top vertical Left reverse font face_small samplen 2 spacing 0.95 }
  even = p == 1 ? "suggested: each the same rate" : "suggested: each the same share"
  eval spelled("set key samplen 1")
  share_of(source) = is_of(source) ? column("fastest_share") : NaN
  plot for [line in fine("even")] (p == 1 ? suggested_hz : x) with lines lc rgb "#707070" lw 1.2 dt 2 title even, \
    for [line in fine("computed")] rates using (share_of("computed")):value with lines lc rgb blue lw 1.6 title "computed", \
    for [line in spelled("computed")] rates using (share_of("computed")):value with points pt "c" title "computed", \
    rates using (share_of("measured")):value with points pt mark(6, "m") ps 0.5 lc rgb vermilion title "measured", \
    for [line in spelled("even")] (p == 1 ? suggested_hz : x) with points pt "." title even
}
unset multiplot
