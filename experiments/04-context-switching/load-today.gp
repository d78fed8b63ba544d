# load-today: figure 3.5 of the thesis, and beside it enough cores, and a server of one process on the same one core.

figure_title = "Several processes on one core and on enough of them: today's"
drawn_points = "socketcluster-14|cores=one-real engine.io|cores=one-real"
load plots . "/load.gp"
