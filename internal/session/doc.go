// Package session holds the types of the agent road and the identifiers of
// what they name: a raw record is interpreted into events, events are derived
// into sessions, traces, spans and links.
//
// It has no logic beyond that of the types themselves: identifiers, sums of
// usage, money, and the packed form of a span's content.
//
// # What it promises
//
// Identifiers are made from where a record came from (harness, the harness' own
// identifiers), never from text that may repeat: importing and deriving again
// gives the same ones. Nothing here depends on the time or the machine.
package session
