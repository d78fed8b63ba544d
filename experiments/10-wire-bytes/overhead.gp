# overhead: what a message carries beside its payload, against its size: captured points on the line of RFC 6455, section 5.2; a direction a
# panel. O_P of the slides on WebSocket against TCP, equation 3, is this over the payload.
# Reads reduced/layers.tsv.

figure_title = "WebSocket's own bytes in a message, captured, against the size of its payload"
layers = reduced . "/layers.tsv"

header_b(size, is_up) = 2 + (size > 65535 ? 8 : size > 125 ? 2 : 0) + (is_up ? 4 : 0)
is_message(step) = step[1 : 7] eq "binary-" || step[1 : 5] eq "text-"
is_of(engine, way) = stringcolumn("engine") eq engine && stringcolumn("direction") eq way && stringcolumn("setting") eq "-" && is_message(stringcolumn("step"))
# A size of 0 has a place of its own, left of the logarithmic axis
at_size(b) = b < 1 ? 0.5 : b

panel_height = high(15, 250)
panel_width = wide(50, 322)
left_of(i) = wide(8, 62) + (i - 1) * (panel_width + wide(12, 52))
top = high(7, 122)
bottom = top + panel_height + high(4, 44)

figure_caption = "Each point: what the frames of a message carry beside its payload, text and binary, without TLS and compression; means." \
  . "\nThe line is the formula for one frame. A point above it: the server sent the message in several frames." \
  . fine("\nSize 0 stands at 0.5.") . "\n" . caption . "\n" . versions("2014") . "\n" . versions("today")
eval open_figure

marks = "4 6 8 1 2 10"              # no two alike in grey: open square, circle, triangle, plus, cross, down triangle
letter(engine) = engine eq "jetty-9.1" ? "J" : engine eq "ws-2014" ? "o" : engine[1 : 1]
entry_gap = "   "
legend = entry("", 'lines lc rgb "black" lw 1.2', "RFC 6455, one frame")
do for [i = 1 : words(engines)] {
  legend = legend . entry(letter(word(engines, i)), "points pt " . word(marks, i) . " ps 0.9 lw 1.2 lc rgb blue", title(word(engines, i)))
}
eval spelled(write("'bytes beside the payload, log, against the payload in B, log; . the formula'", 1, 4, "left", ""))
eval draw_legend(66, "horizontal samplen 2 maxrows 2")
unset key; unset label
set border 3 lw 0.7
set logscale x 2
set logscale y 10
set xrange [0.35 : 33554432]
set yrange [1 : 4000]
set samples 2000
set ytics ("1" 1, "2" 2, "4" 4, "6" 6, "10" 10, "14" 14, "100" 100, "1,000" 1000) nomirror out scale 0.5 font face_small
set xtics ("0" 0.5, "1 B" 1, "16 B" 16, "126 B" 126, "1 KiB" 1024, "64 KiB" 65536, "1 MiB" 1048576, "16 MiB" 16777216) nomirror out scale 0.5 font face_small
if (!side_by_side) { set xtics ("0" 0.5, "16" 16, "1K" 1024, "64K" 65536, "1M" 1048576, "16M" 16777216); set samples 90 }
do for [p = 1 : 2] {
  way = p == 1 ? "up" : "down"
  unset label
  head = p == 1 ? "client to server (masked)" : "server to client"
  eval place(left_of(p), top, left_of(p) + panel_width, top + panel_height)
  eval write("head", left_of(p), top - above(10), "left", face_bold)
  if (p == 1) { eval fine(write("'bytes beside the payload'", 16, top + panel_height / 2.0, "center rotate", face_small)) }
  eval fine(write("'payload of the message'", left_of(p) + panel_width / 2.0, bottom - 8, "center", face_small))
  plot for [line in fine("formula")] header_b(x, p == 1) with lines lc rgb "black" lw 1.2 notitle, \
    for [line in spelled("formula")] header_b(x, p == 1) with points pt "." notitle, \
    for [i = 1 : words(engines)] layers using (is_of(word(engines, i), way) ? at_size(column("message_b")) : NaN):(column("websocket_b")) \
      with points pt mark(int(word(marks, i)), letter(word(engines, i))) ps 0.9 lw 1.2 lc rgb blue notitle
}
unset multiplot
