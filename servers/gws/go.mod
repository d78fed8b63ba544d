module wscale/gws

go 1.18

require (
	github.com/lxzan/gws v1.8.9
	wscale/contract v0.0.0
)

require (
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/klauspost/compress v1.17.9 // indirect
)

replace wscale/contract => ../go
