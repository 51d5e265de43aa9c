package mcpserver

import (
	"context"

	"tapedeck/internal/deck"
)

func getVersion(Options) tool {
	return tool{
		name:        "get_version",
		title:       "Show the version",
		description: "The server's version, its decoders, and the command that upgrades it.",
		output:      outputSchema[deck.Version](),
		run:         runGetVersion,
	}
}

func runGetVersion(_ context.Context, c *call) (*answer, error) {
	v := c.ops.Version()
	v.Decoders = list(v.Decoders)
	return &answer{data: v}, nil
}
