# load-today: the thesis's figures 3.3 and 3.4, on the software of today.
drawn_era = "today"
figure_title = "CPU load of each process, today (as the thesis's figures 3.3 and 3.4)"
load plots . "/load.gp"
