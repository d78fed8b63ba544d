module wscale/coder

go 1.23

require (
	github.com/coder/websocket v1.8.15
	wscale/contract v0.0.0
)

replace wscale/contract => ../go
