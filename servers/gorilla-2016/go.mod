module wscale/gorilla-2016

go 1.18

require (
	github.com/gorilla/websocket v1.1.0
	wscale/contract v0.0.0
)

replace wscale/contract => ../go
