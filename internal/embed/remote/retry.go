package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"tapedeck/internal/embed"
)

// firstWait is how long is waited after the first failure; each time twice as long.
const firstWait = time.Second

// persist asks for texts, again when the server can't be reached, as long as p lasts.
func (e *Embedder) persist(ctx context.Context, p patience, texts []string) ([][]float32, error) {
	until := p.until
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		until = deadline
	}
	for attempt := 1; ; attempt++ {
		vectors, err := e.exchange(ctx, p.timeout, texts)
		if attempt >= p.attempts || !errors.Is(err, embed.ErrUnreachable) {
			return vectors, err
		}
		pause := wait(attempt, err)
		if time.Now().Add(pause).After(until) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// wait is how long to wait after a failed attempt: what the server says, else
// longer each time; never the same for two clients that failed together.
func wait(attempt int, err error) time.Duration {
	var told *embed.RetryError
	if errors.As(err, &told) {
		return told.After + rand.N(firstWait/2)
	}
	full := firstWait << min(attempt-1, 10)
	return full/2 + rand.N(full/2)
}
