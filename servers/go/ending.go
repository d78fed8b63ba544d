package contract

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Exit codes (../CONTRACT.md).
const (
	stopped     = 0
	impossible  = 64
	unsupported = 69
	internal    = 70
	system      = 71
)

// Ends the process with one line on standard error.
func fail(code int, what, next string) {
	fmt.Fprintf(os.Stderr, "error: %s: %s; %s\n", name(), what, next)
	os.Exit(code)
}

func failWith(code int, what string, err error) {
	next := "free it, or ask for less or another"
	if code == internal {
		next = "run it again with WSCALE_TRACE=1 for the stack"
	}
	fail(code, fmt.Sprintf("%s (%s)", what, strings.ReplaceAll(fmt.Sprint(err), "\n", " ")), next)
}

// Guard ends the process on a panic. Each goroutine of an engine defers it. WSCALE_TRACE=1 prints the stack first.
func Guard() {
	panicked := recover()
	if panicked == nil {
		return
	}
	if os.Getenv("WSCALE_TRACE") != "" {
		debug.PrintStack()
	}
	failWith(internal, "panic", fmt.Errorf("%v", panicked))
}
