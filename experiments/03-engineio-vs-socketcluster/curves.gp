# curves: what a message costs each server, all its processes, against the rate.

figure_title = "What a message costs each server, against the rate and against the cores it uses"
is_drawn(setting, side, role) = side eq "server" && role eq "server"
load plots . "/curves.gp"
