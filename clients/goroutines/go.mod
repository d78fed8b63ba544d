module wscale/goroutines

go 1.18

require (
	github.com/HdrHistogram/hdrhistogram-go v1.1.2
	github.com/gorilla/websocket v1.5.3
)
