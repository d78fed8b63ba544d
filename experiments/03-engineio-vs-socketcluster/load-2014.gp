# load-2014: the thesis's figures 3.3 (SocketCluster) and 3.4 (engine.io), on the software of then.
drawn_era = "2014"
figure_title = "CPU load of each process, 2014 (thesis, figures 3.3 and 3.4)"
load plots . "/load.gp"
