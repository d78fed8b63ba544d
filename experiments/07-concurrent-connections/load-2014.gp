# load-2014: figure 3.14 of the thesis: 9 balancers and 21 workers, 12 and 18.

figure_title = "25,000 connections on 9 + 21 and on 12 + 18 balancers and workers"
drawn_points = "socketcluster-2014|connect_rate_hz=167,connections=25000,period_ms=24000,processes=9+21+1,scheduling=none socketcluster-2014|connect_rate_hz=167,connections=25000,period_ms=24000,processes=12+18+1,scheduling=none"
load plots . "/load.gp"
