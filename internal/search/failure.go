package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/internal/embed"
)

// Kinds of failures of an embedder, as they are counted.
const (
	FailureUnauthorized = "unauthorized"  // it refuses the key
	FailureModelMissing = "model_missing" // it does not have the model
	FailureQuota        = "quota"         // the account's quota is used up
	FailureWidth        = "width"         // vectors came with another width
	FailureUnreachable  = "unreachable"   // it does not answer, or says that it can't now
	FailureSlow         = "slow"          // a query did not wait for it any longer
	FailureText         = "text"          // it does not take one of the texts
	FailureOther        = "other"
)

// failureKinds are all of them.
var failureKinds = []string{
	FailureUnauthorized, FailureModelMissing, FailureQuota, FailureWidth, FailureUnreachable, FailureSlow, FailureText, FailureOther,
}

var errSlow = fmt.Errorf("the embedder did not answer a query within %s", queryPatience)

// failureKind is the kind of a failure.
func failureKind(err error) string {
	for _, known := range []struct {
		err  error
		kind string
	}{
		{errSlow, FailureSlow},
		{embed.ErrUnauthorized, FailureUnauthorized},
		{embed.ErrModelMissing, FailureModelMissing},
		{embed.ErrQuota, FailureQuota},
		{embed.ErrWidth, FailureWidth},
		{embed.ErrUnreachable, FailureUnreachable},
		{context.DeadlineExceeded, FailureUnreachable},
		{embed.ErrTooLong, FailureText},
	} {
		if errors.Is(err, known.err) {
			return known.kind
		}
	}
	if _, ok := errors.AsType[*embed.TextError](err); ok {
		return FailureText
	}
	return FailureOther
}

// isPassing reports whether a failure may pass without anybody mending anything.
func isPassing(err error) bool { return failureKind(err) == FailureUnreachable }

// isGeneral reports whether a failure is about every text.
func isGeneral(err error) bool {
	switch failureKind(err) {
	case FailureUnauthorized, FailureModelMissing, FailureQuota, FailureWidth:
		return true
	}
	return false
}

// told is a failure in words that also say what to do, where the embedder's own
// words do not.
func told(err error) string {
	switch failureKind(err) {
	case FailureUnauthorized:
		return err.Error() + "; look at the setting embedding_key"
	case FailureWidth:
		return err.Error() + "; if another model is meant, start tapedeck again: it makes vectors of that width beside the old ones"
	}
	return err.Error()
}

// waitAfter is how long to leave the embedder alone after a failure, when so many
// came before.
func waitAfter(err error, before int) time.Duration {
	if told, ok := errors.AsType[*embed.RetryError](err); ok && told.After > 0 {
		return min(max(told.After, firstWait), longestTold)
	}
	if isPassing(err) {
		return min(firstWait<<min(before, 10), longestWait)
	}
	return mendWait
}
