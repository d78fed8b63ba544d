# figure: a line a mark: what was planted beside what was found. draw.js sets data, target, lines, is_log, label_characters and the words.

set encoding utf8
set datafile separator tab
set datafile columnheaders
set datafile missing "NaN"
width = 768
above = other_words eq "" ? 64 : 92 # the key takes a line an entry
height = above + 56 + 24 * lines
set term svg noenhanced size width, height fixed font "DejaVu Sans,9" background "white"
set output target

left = 24 + 6 * label_characters
set lmargin at screen 1.0 * (left < 90 ? 90 : left) / width
set rmargin at screen 1 - 24.0 / width
set tmargin at screen 1 - 1.0 * above / height
set bmargin at screen 44.0 / height
set label figure_title at screen 10.0 / width, 1 - 16.0 / height left noenhanced font "DejaVu Sans:Bold,11"
set key at screen 10.0 / width, 1 - 32.0 / height left top Left reverse vertical maxrows 3 font "DejaVu Sans,8.5"
set xlabel axis_title offset 0, 0.3
set yrange [lines + 0.7 : 0.3]
set grid xtics lc rgb "#d0d0d0" lw 0.6 dt solid
set border 1 lw 0.8
set xtics nomirror out scale 0.5
set ytics nomirror scale 0
set offsets graph 0.05, graph 0.05, 0, 0
if (is_log) { set logscale x; set format x "%g" }

expected = "using 3:1 with points pt 4 ps 1.1 lw 1.2 lc rgb 'black' title expected_words"
found = "using 4:1:5:6:ytic(2) with xerrorbars pt 7 ps 0.6 lw 1.4 lc rgb '#0060a8' title found_words"
other = "using 7:1 with points pt 8 ps 0.9 lw 1.2 lc rgb '#c04000' title other_words"
eval "plot data " . expected . ", '' " . found . (other_words eq "" ? "" : ", '' " . other)
