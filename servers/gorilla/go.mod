module wscale/gorilla

go 1.18

require (
	github.com/gorilla/websocket v1.5.3
	wscale/contract v0.0.0
)

replace wscale/contract => ../go
