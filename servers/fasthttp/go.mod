module wscale/fasthttp

go 1.21

require (
	github.com/fasthttp/websocket v1.5.12
	github.com/valyala/fasthttp v1.58.0
	wscale/contract v0.0.0
)

require (
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/klauspost/compress v1.17.11 // indirect
	github.com/savsgio/gotils v0.0.0-20240704082632-aef3928b8a38 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/net v0.33.0 // indirect
)

replace wscale/contract => ../go
