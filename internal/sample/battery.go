package sample

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

const (
	batteryPeriod = 100 * time.Millisecond
	batteryDelay  = 2 * time.Millisecond
)

var batteryTopic = topic{
	name:     "/battery/status",
	encoding: "json",
	schema:   mcap.Schema{Name: "rover.BatteryStatus", Encoding: "jsonschema", Data: []byte(batterySchema)},
	messages: batteryMessages,
}

const batterySchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "rover.BatteryStatus",
  "type": "object",
  "properties": {
    "stamp": {
      "type": "object",
      "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}
    },
    "voltage": {"type": "number", "description": "of the pack, in volts"},
    "current": {"type": "number", "description": "drawn from the pack, in amperes"},
    "charge": {"type": "number", "description": "what is left, 0 to 1"},
    "temperature_c": {"type": "integer"},
    "state": {"type": "string", "enum": ["discharging", "low", "charging"]},
    "cells": {"type": "array", "items": {"type": "number"}, "description": "voltage of each cell"}
  },
  "required": ["stamp", "voltage", "current", "state"]
}`

type batteryStatus struct {
	Stamp        stamp     `json:"stamp"`
	Voltage      float64   `json:"voltage"`
	Current      float64   `json:"current"`
	Charge       float64   `json:"charge"`
	TemperatureC int       `json:"temperature_c"`
	State        string    `json:"state"`
	Cells        []float64 `json:"cells"`
}

type stamp struct {
	Sec  int64 `json:"sec"`
	Nsec int   `json:"nsec"`
}

func batteryMessages(d *Drive) []message {
	messages := make([]message, 0, Length/batteryPeriod)
	for n := range int(Length / batteryPeriod) {
		at := time.Duration(n) * batteryPeriod
		data, err := json.Marshal(battery(d, at, n))
		if err != nil {
			panic(fmt.Sprintf("sample: a battery status is no JSON: %v", err))
		}
		messages = append(messages, message{published: at, delay: batteryDelay, data: data})
	}
	return messages
}

func battery(d *Drive, at time.Duration, n int) batteryStatus {
	volts := voltage(d, at)
	when := d.Start.Add(at)
	status := batteryStatus{
		Stamp:        stamp{when.Unix(), when.Nanosecond()},
		Voltage:      volts,
		Current:      round(6.2+0.4*ripple(n, 20), 2),
		Charge:       round(0.92-0.002*at.Seconds(), 3),
		TemperatureC: 24 + int(at/(20*time.Second)),
		State:        "discharging",
		Cells:        make([]float64, 6),
	}
	if volts < lowVolts {
		status.State = "low"
	}
	for cell := range status.Cells {
		status.Cells[cell] = round(volts/6+0.004*ripple(n, 21+cell), 3)
	}
	return status
}

const lowVolts = 22.0

// voltage falls slowly and, from d.sagAt on, by 2.5 V a second down to 20.9 V.
func voltage(d *Drive, at time.Duration) float64 {
	volts := 25.2 - 0.002*at.Seconds()
	if d.sagAt > 0 && at > d.sagAt {
		volts = max(volts-2.5*(at-d.sagAt).Seconds(), 20.9)
	}
	return round(volts, 2)
}
