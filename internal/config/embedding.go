package config

import "fmt"

// openAIKey is where OpenAI's own programs look for the key.
const openAIKey = "OPENAI_API_KEY"

// finishEmbedding fills in the key, and tells of settings that have no effect.
func (c *Config) finishEmbedding(environ []string) {
	switch c.EmbeddingProvider {
	case ProviderOpenAI:
		if key := variables(environ)[openAIKey]; key != "" && c.EmbeddingKey == "" {
			c.EmbeddingKey = key
			c.origins["embedding_key"] = Origin{LayerEnvironment, openAIKey}
		}
	case ProviderBuiltin, ProviderNone:
		for _, name := range []string{"embedding_target", "embedding_model", "embedding_dimensions", "embedding_key"} {
			if c.IsSet(name) {
				c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %s has no effect: embedding_provider is %s (%s)",
					c.Origin(name), name, c.EmbeddingProvider, c.Origin("embedding_provider")))
			}
		}
	}
}
