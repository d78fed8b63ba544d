# curves: what a message costs each role that has a core to itself, from idle to a full core.

figure_title = "What a message costs, against the rate and against the load of its core"
is_drawn(setting, side, role) = side eq "server" && strstrt(setting, "cores=alone-" . role) > 0
load plots . "/curves.gp"
