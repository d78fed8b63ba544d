package main

import "math"

// Draws gives the same numbers as the other generators for the same seed and connection (mulberry32 by Tommy Ettinger, public domain).
type Draws struct{ state uint32 }

func newDraws(seed uint32, stream uint32) *Draws {
	return &Draws{spread(spread(seed) ^ (stream + 0x9e3779b9))}
}

// The finaliser of MurmurHash3.
func spread(value uint32) uint32 {
	value = (value ^ value>>16) * 0x85ebca6b
	value = (value ^ value>>13) * 0xc2b2ae35
	return value ^ value>>16
}

// Uniform in [0, 1).
func (d *Draws) draw() float64 {
	d.state += 0x6d2b79f5
	mixed := (d.state ^ d.state>>15) * (1 | d.state)
	mixed = (mixed + (mixed^mixed>>7)*(61|mixed)) ^ mixed
	return float64(mixed^mixed>>14) / 4294967296
}

// Schedule says when a connection's messages are due, in us since the start of the load.
type Schedule struct {
	arrivals Arrivals
	draws    *Draws
	dueUs    int64 // of the connection
	sent     int   // of this burst
	isBegun  bool
}

func newSchedule(config Config, connection int) *Schedule {
	return &Schedule{arrivals: config.Arrivals, draws: newDraws(config.Seed, uint32(connection)), dueUs: dueOf(config, connection)}
}

// Connection k is due at k / rate, in any process.
func dueOf(config Config, connection int) int64 {
	return int64(float64(connection) / config.ConnectRateHz * 1e6)
}

// When the message after the one at lastUs is due. The first message counts from the time the connection was due.
func (s *Schedule) next(lastUs int64) int64 {
	isFirst := !s.isBegun
	s.isBegun = true
	periodUs := int64(s.arrivals.PeriodMs * 1000)
	switch s.arrivals.Kind {
	case "poisson":
		if isFirst {
			lastUs = s.dueUs
		}
		return lastUs + int64(math.Round(-math.Log(1-s.draws.draw())*1e6/s.arrivals.RateHz))
	case "bursts": // all connections at once, at whole periods since the start
		if isFirst {
			lastUs = s.dueUs
		} else if s.sent++; s.sent < s.arrivals.messages() {
			return lastUs
		}
		s.sent = 0
		return (lastUs/periodUs + 1) * periodUs
	default: // constant
		if isFirst {
			return s.dueUs + int64(s.draws.draw()*float64(periodUs))
		}
		return lastUs + periodUs
	}
}

func (a Arrivals) messages() int {
	if a.Messages < 1 {
		return 1
	}
	return a.Messages
}
