package contract

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

type settings[B any] struct {
	address   string
	port      int
	behaviour B
}

// Reads and checks the environment. Ends the process with 64 or 69 if something is wrong.
func readSettings[B any](behaviours map[string]B) settings[B] {
	host := read("WSCALE_HOST", "an IP address", func(value string) bool { return net.ParseIP(value) != nil })
	port := read("WSCALE_PORT", "a port from 1 to 65535", isPort)
	read("WSCALE_RUN_DIR", "an existing folder", isFolder)
	read("WSCALE_WORKERS", "1", func(value string) bool { return value == "1" })
	number, _ := strconv.Atoi(port)
	return settings[B]{net.JoinHostPort(host, port), number, readBehaviour(behaviours)}
}

// ReadOption reads an option of engine.toml; values are those listed there. Ends the process with 64 for any other value.
func ReadOption(option string, values ...string) string {
	variable := "WSCALE_OPTION_" + strings.ToUpper(strings.ReplaceAll(option, "-", "_"))
	return read(variable, "one of "+strings.Join(values, ", "), func(value string) bool {
		for _, known := range values {
			if value == known {
				return true
			}
		}
		return false
	})
}

func readBehaviour[B any](behaviours map[string]B) B {
	names := make([]string, 0, len(behaviours))
	for each := range behaviours {
		names = append(names, each)
	}
	sort.Strings(names)
	known := strings.Join(names, ", ")
	wanted := read("WSCALE_BEHAVIOUR", "one of "+known, func(string) bool { return true })
	behaviour, isKnown := behaviours[wanted]
	if !isKnown {
		fail(unsupported, fmt.Sprintf("behaviour %q is not supported", wanted), "use one of "+known)
	}
	return behaviour
}

func read(variable, wanted string, isRight func(string) bool) string {
	value := os.Getenv(variable)
	if value == "" {
		fail(impossible, variable+" is not set", "set it to "+wanted)
	}
	if !isRight(value) {
		fail(impossible, fmt.Sprintf("%s is %q", variable, value), "set it to "+wanted)
	}
	return value
}

func isPort(value string) bool {
	port, err := strconv.ParseUint(value, 10, 16)
	return err == nil && port > 0
}

func isFolder(value string) bool {
	info, err := os.Stat(value)
	return err == nil && info.IsDir()
}

// A server starts in its folder, which has the engine's name.
func name() string {
	folder, _ := os.Getwd()
	return filepath.Base(folder)
}
