// Package contract has the parts of ../CONTRACT.md that all Go servers share, so that each engine's own file stays small. One
// process, of role `worker`, where one thread at a time runs Go code. Nothing here runs per message, except the answers.
package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// The same limits for all engines (../CONTRACT.md, Configuration).
const (
	MessageMaxB = 100 << 20
	UnsentMaxB  = 16 << 20
)

// Serve runs a server: checks its environment, listens, prints `ready`, and lets the engine take connections. The engine's version is
// that of module. behaviours are by name.
func Serve[B any](module string, behaviours map[string]B, take func(net.Listener, B) error) {
	defer Guard()
	runtime.GOMAXPROCS(1)
	stopWhenAsked()
	settings := readSettings(behaviours)
	version := versionOf(module)
	inner, err := net.Listen("tcp", settings.address)
	if err != nil {
		failWith(system, "cannot listen on "+settings.address, err)
	}
	printReady(version, settings.port)
	failWith(internal, "the engine takes no more connections", take(listener{inner}, settings.behaviour))
}

// Ends the process at once on SIGTERM and SIGINT, which closes every connection.
func stopWhenAsked() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		os.Exit(stopped)
	}()
}

// If the process is out of descriptors, Go's own HTTP server waits and retries; this one ends with the contract's exit code for it.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err == nil {
			return connection, nil
		}
		if !errors.Is(err, syscall.ECONNABORTED) { // the client left before we accepted
			failWith(system, "cannot accept", err)
		}
	}
}

// The version of a module in this binary.
func versionOf(module string) string {
	built, _ := debug.ReadBuildInfo()
	if built != nil {
		for _, dependency := range built.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	fail(internal, fmt.Sprintf("no module %s was built in", module), "name one of go.mod")
	return ""
}

func printReady(version string, port int) {
	report, err := json.Marshal(map[string]any{
		"engine": name(), "version": version, "port": port,
		"processes": []map[string]any{{"pid": os.Getpid(), "role": "worker", "index": 1}},
	})
	if err == nil {
		_, err = fmt.Printf("ready %s\n", report)
	}
	if err != nil {
		failWith(system, "cannot say ready", err)
	}
}
