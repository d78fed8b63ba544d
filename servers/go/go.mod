module wscale/contract

go 1.18
