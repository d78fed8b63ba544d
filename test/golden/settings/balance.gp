figure_title = "Are balancers loaded alike?"
roles_shown = "balancer"
note_words = ""
load plots . "/balance.gp"
