// goroutines: makes load with one goroutine per connection, on gorilla/websocket (README.md). Follows ../CONTRACT.md.
//
// usage: client CONFIG.json
package main

import (
	"bufio"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Exit codes (servers/CONTRACT.md).
const (
	exitImpossible = 64
	exitBehaviour  = 69
	exitInternal   = 70
)

const clockMonotonic = 1

func main() {
	if len(os.Args) == 4 && os.Args[1] == "--driver" {
		index, _ := strconv.Atoi(os.Args[2])
		drive(os.Args[3], index)
		return
	}
	if len(os.Args) != 2 {
		fail(exitImpossible, fmt.Sprintf("%d arguments are given", len(os.Args)-1), "give the path of a configuration")
	}
	record(os.Args[1])
}

// Driver is the recorder's handle of a load process.
type Driver struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

func record(path string) {
	config := readConfig(path)
	drivers := make([]Driver, config.Processes)
	for index := range drivers {
		drivers[index] = startDriver(path, index)
	}
	endWhenAsked(drivers)
	for _, driver := range drivers {
		if line, err := driver.output.ReadString('\n'); err != nil || line != "up\n" {
			fail(exitInternal, "a load process did not start", "see its words above")
		}
	}
	sayReady(drivers)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil { // standard input ended before `go`
		endAll(drivers)
		os.Exit(0)
	}
	for _, driver := range drivers {
		_, _ = io.WriteString(driver.input, line)
	}
	start := parseGo(line)
	told := make([]Told, len(drivers))
	for index, driver := range drivers {
		if err := gob.NewDecoder(driver.output).Decode(&told[index]); err != nil {
			endAll(drivers)
			fail(exitInternal, fmt.Sprintf("load process %d ended before its time (%v)", index+1, err), "see its words above")
		}
	}
	writeRecords(config, drivers, told, start)
}

// Starts a load process. The kernel kills it when the recorder dies, however it dies.
func startDriver(path string, index int) Driver {
	program, err := os.Executable()
	if err != nil {
		fail(exitInternal, err.Error(), "run it from a path that can be read")
	}
	command := exec.Command(program, "--driver", strconv.Itoa(index), path)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	input, err := command.StdinPipe()
	if err == nil {
		var output io.ReadCloser
		if output, err = command.StdoutPipe(); err == nil {
			if err = command.Start(); err == nil {
				return Driver{command, input, bufio.NewReader(output)}
			}
		}
	}
	fail(exitInternal, err.Error(), "ask for fewer processes")
	return Driver{}
}

func endWhenAsked(drivers []Driver) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		endAll(drivers)
		os.Exit(0)
	}()
}

func endAll(drivers []Driver) {
	for _, driver := range drivers {
		_ = driver.command.Process.Kill()
	}
}

func sayReady(drivers []Driver) {
	processes := []map[string]any{{"pid": os.Getpid(), "role": "recorder", "index": 1}}
	for index, driver := range drivers {
		processes = append(processes, map[string]any{"pid": driver.command.Process.Pid, "role": "client", "index": index + 1})
	}
	report, _ := json.Marshal(map[string]any{"client": "goroutines", "version": libraryVersion(), "processes": processes})
	fmt.Printf("ready %s\n", report)
}

func readGo(input io.Reader) time.Time {
	line, err := bufio.NewReader(input).ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	return parseGo(line)
}

// Converts `go T`, T in us of this host's CLOCK_MONOTONIC, to a Go time. Differences of Go times are monotonic too.
func parseGo(line string) time.Time {
	us, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(line), "go "), 64)
	if err != nil {
		fail(exitImpossible, fmt.Sprintf("%q is not `go T`", strings.TrimSpace(line)), "write go and a time in us of CLOCK_MONOTONIC")
	}
	var now syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return time.Now().Add(time.Duration(us*1e3) - time.Duration(now.Nano()))
}

func fail(code int, what, next string) {
	fmt.Fprintf(os.Stderr, "error: goroutines: %s; %s\n", what, next)
	os.Exit(code)
}
