# balance: how evenly does each policy of the balancers spread connections over workers?

figure_title = "Connections of each worker and of each balancer, by policy"
note_words = "Descriptors opened since the load began; a balancer holds two a connection."
roles_shown = "worker balancer"
quantity = "descriptors"
load plots . "/balance.gp"
