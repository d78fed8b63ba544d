# labels: how wide the labels of rows.gp are, and how high their lines. Before loading it a figure sets most_left, in cells.
# Gives left, where the panels begin; label_fold, the characters after which a label is folded; line_height.

left = label_width * wide(1, 5.2) + wide(4, 16)
left = left > most_left ? most_left : left < wide(30, 120) ? wide(30, 120) : left
label_fold = wide(left - 6, int((left - 34) / 5.2))
folds = 1
do for [w = 1 : words(drawn_workloads)] { do for [line in lines_in[w]] {
  label_lines = lines_of(folded(words_of_line(line, lines_in[w]), label_fold))
  folds = label_lines > folds ? label_lines : folds
} }
line_height = high(folds, 5 + 12 * folds)
