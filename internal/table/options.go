package table

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Options say what a load takes from a recording and how. The zero value takes
// every message of every topic that can be decoded.
type Options struct {
	Topics         []string // nil: all
	From           uint64   // log time in nanoseconds, included
	Until          uint64   // log time, not included, when HasUntil
	HasUntil       bool
	Downsample     int  // keeps the first of each so many messages of a topic; 0 and 1: all
	MessageColumns bool // adds log_time_ns, publish_time_ns, sequence and channel_id
	Blobs          Blobs
	FlattenDepth   int // see decode.Options
}

// Blobs says what becomes of the BLOB columns of topics with large messages.
type Blobs string

// What becomes of large BLOB columns.
const (
	BlobsAuto Blobs = ""     // a size stands for them unless the topic is named
	BlobsLoad Blobs = "load" // they are loaded
	BlobsOmit Blobs = "omit" // a size stands for them
)

// largeMessage is the mean size in bytes from which a topic's BLOB columns are
// left out unless asked for: images, point clouds, video.
const largeMessage = 16 << 10

// formatVersion changes whenever the same options would give other tables or
// another manifest, so that files of an older program are not taken for new ones.
const formatVersion = 2

// key names the load of a recording with these options. The alias is no part
// of it: the file is the same under every alias.
func (o Options) key(fingerprint string) string {
	o.Topics = slices.Clone(o.Topics)
	slices.Sort(o.Topics)
	o.Topics = slices.Compact(o.Topics)
	text, err := json.Marshal(struct {
		Format      int
		Fingerprint string
		Options     Options
	}{formatVersion, fingerprint, o})
	if err != nil {
		panic(err) // plain fields always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

func (o Options) wants(topic string) bool {
	return o.Topics == nil || slices.Contains(o.Topics, topic)
}

// omits reports whether sizes stand for the blobs of a topic.
func (o Options) omits(meanSize float64) bool {
	switch o.Blobs {
	case BlobsLoad:
		return false
	case BlobsOmit:
		return true
	}
	return o.Topics == nil && meanSize > largeMessage
}

func (o Options) every() uint64 { return uint64(max(o.Downsample, 1)) }
