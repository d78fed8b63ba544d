package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const library = "github.com/gorilla/websocket"

// Times above an hour are recorded as an hour.
const mostUs = 3600 * 1e6

// Second is a line of intervals.tsv, and the samples of its histograms.
type Second struct {
	connected, failed, dropped, due, sent, received, wrong, sentB, receivedB int
	latencyUs, serviceUs, connectUs                                          []int64
}

// Tally sums all reports for each second and for the window.
type Tally struct {
	seconds                                                             []Second
	opened, openAtEnd, failedLocal, failedRemote, dropLocal, dropRemote int
	due, unsent, sent, received, missing, wrong, late, lateRemote       int
	latencySum, serviceSum                                              float64
	errors                                                              map[string]int
}

func writeRecords(config Config, drivers []Driver, told []Told, start time.Time) {
	tally := tallyUp(config, told)
	write(config.Out, "intervals.tsv", tally.formatIntervals())
	loaded := tally.seconds[:int(config.endS())]
	for name, of := range map[string]func(Second) []int64{
		"latency": func(s Second) []int64 { return s.latencyUs }, "service": func(s Second) []int64 { return s.serviceUs },
		"connect": func(s Second) []int64 { return s.connectUs },
	} {
		write(config.Out, name+".hlog", formatLog(loaded, of, start))
	}
	summary, err := json.MarshalIndent(tally.summarise(config, drivers, told), "", "  ")
	if err != nil {
		fail(exitInternal, err.Error(), "report it")
	}
	write(config.Out, "summary.json", string(summary)+"\n")
}

func tallyUp(config Config, told []Told) *Tally {
	tally := &Tally{seconds: make([]Second, int(config.endS()+config.DrainS)+1), errors: map[string]int{}}
	for _, each := range told {
		for _, session := range each.Sessions {
			tally.addSession(config, session)
			for _, message := range session.Messages {
				tally.addMessage(config, message, session.IsLocal)
			}
		}
	}
	for at := range tally.seconds[1:] {
		tally.seconds[at+1].connected += tally.seconds[at].connected
	}
	return tally
}

func (t *Tally) at(us int64) *Second {
	second := int(us / 1e6)
	if second >= len(t.seconds) {
		second = len(t.seconds) - 1
	}
	return &t.seconds[second]
}

func (t *Tally) addSession(config Config, session Session) {
	if session.Error != "" {
		t.errors[session.Error]++
	}
	if session.OpenUs == 0 {
		t.at(session.DroppedUs).failed++
		if session.IsLocal {
			t.failedLocal++
		} else {
			t.failedRemote++
		}
		return
	}
	t.opened++
	t.at(session.OpenUs).connected++
	called := t.at(session.CalledUs)
	called.connectUs = append(called.connectUs, session.OpenUs-session.CalledUs)
	if session.DroppedUs <= 0 {
		t.openAtEnd++
		return
	}
	t.at(session.DroppedUs).connected--
	t.at(session.DroppedUs).dropped++
	if session.IsLocal {
		t.dropLocal++
	} else {
		t.dropRemote++
	}
}

// Adds a message; isLocal: its connection was lost by this host's fault.
func (t *Tally) addMessage(config Config, m Message, isLocal bool) {
	second := t.at(m.DueUs)
	second.due++
	isInWindow := float64(m.DueUs) >= (config.RampS+config.SettleS)*1e6
	if m.SentUs > 0 {
		sent := t.at(m.SentUs)
		sent.sent++
		sent.sentB += m.SentB
	}
	if m.AnsweredUs > 0 {
		answered := t.at(m.AnsweredUs)
		answered.received++
		answered.receivedB += m.ReceivedB
		if m.IsWrong {
			answered.wrong++
		}
		second.latencyUs = append(second.latencyUs, m.AnsweredUs-m.DueUs)
		second.serviceUs = append(second.serviceUs, m.AnsweredUs-m.SentUs)
	}
	if isInWindow {
		t.addToWindow(config, m, isLocal)
	}
}

func (t *Tally) addToWindow(config Config, m Message, isLocal bool) {
	t.due++
	if m.SentUs == 0 {
		if !isLocal {
			t.unsent++
		}
		return
	}
	t.sent++
	if float64(m.SentUs-m.DueUs) > config.LateMs*1000 {
		t.late++
		if m.HasWaited {
			t.lateRemote++
		}
	}
	if m.AnsweredUs == 0 {
		t.missing++
		return
	}
	t.received++
	if m.IsWrong {
		t.wrong++
	}
	t.latencySum += float64(m.AnsweredUs - m.DueUs)
	t.serviceSum += float64(m.AnsweredUs - m.SentUs)
}

func (t *Tally) formatIntervals() string {
	text := &strings.Builder{}
	text.WriteString("t_s\tconnected\tfailed\tdropped\tdue\tsent\treceived\twrong\tsent_b\treceived_b\n")
	for at, s := range t.seconds {
		fmt.Fprintf(text, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", at, s.connected, s.failed, s.dropped, s.due, s.sent, s.received, s.wrong, s.sentB, s.receivedB)
	}
	return text.String()
}

// Formats an HdrHistogram log V2 (version 1.3): one histogram per second, with times in seconds since the start.
func formatLog(seconds []Second, of func(Second) []int64, start time.Time) string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch)]\n", float64(start.UnixMilli())/1000)
	text.WriteString("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	for at, second := range seconds {
		histogram := hdrhistogram.New(1, mostUs, 3)
		for _, us := range of(second) {
			if us > mostUs {
				us = mostUs
			}
			_ = histogram.RecordValue(max1(us))
		}
		encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			fail(exitInternal, err.Error(), "report it")
		}
		fmt.Fprintf(text, "%d.000,1.000,%d.000,%s\n", at, histogram.Max(), encoded)
	}
	return text.String()
}

func (t *Tally) summarise(config Config, drivers []Driver, told []Told) map[string]any {
	mean := func(sum float64) any {
		if t.received == 0 {
			return nil
		}
		return sum / float64(t.received)
	}
	processes := []map[string]any{}
	for index, driver := range drivers {
		processes = append(processes, map[string]any{
			"pid": driver.command.Process.Pid, "role": "client", "index": index + 1, "cpu_s": told[index].CPUs})
	}
	return map[string]any{
		"client": "goroutines", "library": library, "library_version": libraryVersion(), "runtime": runtime.Version(),
		"connections": map[string]int{"asked": config.Connections, "opened": t.opened, "open_at_end": t.openAtEnd,
			"failed_local": t.failedLocal, "failed_remote": t.failedRemote, "dropped_local": t.dropLocal, "dropped_remote": t.dropRemote},
		"window": map[string]any{"due": t.due, "unsent_remote": t.unsent, "sent": t.sent, "received": t.received, "missing": t.missing,
			"wrong": t.wrong, "late": t.late, "late_remote": t.lateRemote,
			"latency_mean_us": mean(t.latencySum), "service_mean_us": mean(t.serviceSum)},
		"processes": processes, "errors": t.errors,
	}
}

// The version of the library in this binary.
func libraryVersion() string {
	if built, isKnown := debug.ReadBuildInfo(); isKnown {
		for _, dependency := range built.Deps {
			if dependency.Path == library {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

// Writes a file completely or not at all.
func write(folder, name, text string) {
	path := filepath.Join(folder, name)
	err := os.WriteFile(path+".tmp", []byte(text), 0o644)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		fail(71, err.Error(), "make room, or give a folder that can be written")
	}
}
