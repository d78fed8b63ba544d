# load-today: figure 3.5 of the thesis with what is in use today, and beside it a server of one process on the same one core.

figure_title = "Several processes on one core: today's"
drawn_points = "socketcluster-14|cores=one engine.io|cores=one"
load plots . "/load.gp"
