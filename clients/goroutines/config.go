package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// Config is the configuration file of ../CONTRACT.md, without the keys for features that this client lacks.
type Config struct {
	URL           string   `json:"url"`
	Out           string   `json:"out"`
	Behaviour     string   `json:"behaviour"`
	Processes     int      `json:"processes"`
	Connections   int      `json:"connections"`
	ConnectRateHz float64  `json:"connect_rate_hz"`
	WarmupS       float64  `json:"warmup_s"`
	RampS         float64  `json:"ramp_s"`
	SettleS       float64  `json:"settle_s"`
	HoldS         float64  `json:"hold_s"`
	Arrivals      Arrivals `json:"arrivals"`
	Payload       struct {
		Type  string `json:"type"`
		Bytes int    `json:"bytes"`
	} `json:"payload"`
	Seed   uint32  `json:"seed"`
	LateMs float64 `json:"late_ms"`
	DrainS float64 `json:"drain_s"`
}

// Arrivals says when messages are due on a connection.
type Arrivals struct {
	Kind     string  `json:"kind"`
	PeriodMs float64 `json:"period_ms"`
	RateHz   float64 `json:"rate_hz_per_connection"`
	Messages int     `json:"messages"`
}

func readConfig(path string) (config Config) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		fail(exitImpossible, fmt.Sprintf("%s: %v", path, err), "give the path of a configuration (clients/CONTRACT.md)")
	}
	check(config.Processes >= 1 && config.Connections >= config.Processes, "processes", config.Processes, "from 1 to the number of connections")
	check(config.ConnectRateHz > 0, "connect_rate_hz", config.ConnectRateHz, "above 0")
	check(config.HoldS >= 1, "hold_s", config.HoldS, "1 or more")
	check(config.endS() == float64(int(config.endS())), "ramp_s + settle_s + hold_s", config.endS(), "whole seconds")
	if !knows(config.Behaviour, "json-ping", "echo", "idle") {
		fail(exitBehaviour, fmt.Sprintf("behaviour is %q", config.Behaviour), "make it json-ping, echo or idle")
	}
	folder, err := os.Stat(config.Out)
	check(err == nil && folder.IsDir(), "out", config.Out, "an existing folder")
	check(config.Behaviour == "idle" || config.Arrivals.isSound(), "arrivals", config.Arrivals, "constant or bursts with period_ms, or poisson with rate_hz_per_connection")
	check(config.Behaviour != "echo" || config.Payload.Bytes > 0, "payload.bytes", config.Payload.Bytes, "1 or more")
	return config
}

func (a Arrivals) isSound() bool {
	if a.Kind == "poisson" {
		return a.RateHz > 0
	}
	return knows(a.Kind, "constant", "bursts") && a.PeriodMs > 0
}

func (c Config) endS() float64 { return c.RampS + c.SettleS + c.HoldS }

func knows(word string, known ...string) bool {
	for _, each := range known {
		if word == each {
			return true
		}
	}
	return false
}

func check(isRight bool, key string, value any, wanted string) {
	if !isRight {
		fail(exitImpossible, fmt.Sprintf("%s is %v", key, value), "make it "+wanted)
	}
}
