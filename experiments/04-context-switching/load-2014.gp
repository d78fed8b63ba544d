# load-2014: figure 3.5 of the thesis, and beside it enough cores, and a server of one process on the same one core.

figure_title = "Several processes on one core and on enough of them: the stack of 2014"
drawn_points = "socketcluster-2014|cores=one socketcluster-2014|cores=own engine.io-2014|cores=one"
load plots . "/load.gp"
