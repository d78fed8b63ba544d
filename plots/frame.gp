# frame: the canvas and its texts. report/figures/draw.js sets the variables used here. Positions are fractions of the canvas, from
# its lower left corner.

set encoding utf8
set datafile separator tab
set datafile missing "NaN"

usual = "DejaVu Sans,10"
if (format eq "svg") { set term svg noenhanced size width, height fixed font usual background "white" }
if (format eq "png") {
  scale = 1600.0 / width
  set term pngcairo noenhanced size 1600, int(height * scale) font usual fontscale 0.75 * scale linewidth scale dashlength 0.5 pointscale scale background "white"
}
if (format eq "pdf") { set term pdfcairo noenhanced size 6.3, 6.3 * height / width font usual fontscale 0.547 linewidth 1.2 dashlength 0.5 pointscale 0.72 background "white" }
set output target
set clip two
set multiplot

face_of(name) = name eq "title" ? "DejaVu Sans:Bold,12.5" : name eq "bold" ? "DejaVu Sans:Bold,10" : usual
do for [i = 1 : left_texts] { set label left_words[i] at screen left_x[i], left_y[i] left front noenhanced font face_of(left_face[i]) }
do for [i = 1 : center_texts] { set label center_words[i] at screen center_x[i], center_y[i] center front noenhanced font face_of(center_face[i]) }
do for [i = 1 : right_texts] { set label right_words[i] at screen right_x[i], right_y[i] right front noenhanced font face_of(right_face[i]) }
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0 : 1]
set yrange [0 : 1]
unset border
unset tics
unset key
plot NaN notitle
unset label

# The number of a series in a list. For an empty list gnuplot evaluates the rest of the clause too, before it draws nothing.
k(s) = s eq "" ? 1 : int(s)
