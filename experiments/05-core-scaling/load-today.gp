# load-today: figures 3.6 to 3.9 of the thesis, on the last SocketCluster of several processes: workers and a broker.

figure_title = "One, two and three workers under the source's load: today's"
drawn_points = "socketcluster-14|processes=1+1 socketcluster-14|processes=2+1 socketcluster-14|processes=3+1"
drawn_workloads = "listed"
load plots . "/load.gp"
