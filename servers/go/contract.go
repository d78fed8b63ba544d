// Package contract is what ../CONTRACT.md asks of every server, for those in Go: of one process, of role `worker`, of whose
// threads one at a time runs Go. Each engine's own file stays tiny, and nothing here runs once a message, save the answers.
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

// Limits that are equal over engines (../CONTRACT.md, Configuration).
const (
	MessageMaxB = 100 << 20
	UnsentMaxB  = 16 << 20
)

// Serve runs a server: checks its environment, listens, says that it is ready, and has the engine take connections. module is the one
// whose version is the engine's; behaviours are those that it has, by name.
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

// On SIGTERM and SIGINT the process ends at once, which closes every connection.
func stopWhenAsked() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		os.Exit(stopped)
	}()
}

// Go's own HTTP server waits and tries again when the process is out of descriptors; the contract asks for an end.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err == nil {
			return connection, nil
		}
		if !errors.Is(err, syscall.ECONNABORTED) { // the client left before
			failWith(system, "cannot accept", err)
		}
	}
}

// The version of a module, as it was built in.
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
