package remote

import "testing"

func TestPrefixes(t *testing.T) {
	const sentence = "Represent this sentence for searching relevant passages: "
	for model, want := range map[string]Prefixes{
		"embeddinggemma":                        {"task: search result | query: ", "title: none | text: "},
		"embeddinggemma:300m-qat-q8_0":          {"task: search result | query: ", "title: none | text: "},
		"hf.co/unsloth/EmbeddingGemma-300M:Q8":  {"task: search result | query: ", "title: none | text: "},
		"nomic-embed-text:v1.5":                 {"search_query: ", "search_document: "},
		"nomic-ai/nomic-embed-text-v2-moe":      {"search_query: ", "search_document: "},
		"intfloat/multilingual-e5-small":        {"query: ", "passage: "},
		"e5-base-v2":                            {"query: ", "passage: "},
		"multilingual-e5-large-instruct":        instruct,
		"mxbai-embed-large":                     {Query: sentence},
		"snowflake-arctic-embed:335m":           {Query: sentence},
		"snowflake-arctic-embed2":               {Query: "query: "},
		"Snowflake/snowflake-arctic-embed-l-v2": {Query: "query: "},
		"bge-m3":                                {},
		"BAAI/bge-small-en-v1.5":                {Query: sentence},
		"bge-large:335m":                        {Query: sentence},
		"bge-large-zh-v1.5":                     {},
		"text-embedding-nomic-embed-text-v1.5":  {"search_query: ", "search_document: "}, // as LM Studio names it
		"qwen3-embedding:0.6b":                  instruct,
		"all-minilm":                            {},
		"text-embedding-3-small":                {},
		"type5-large":                           {}, // no e5
		"":                                      {},
		"owner/":                                {},
	} {
		if got := lookUp(model).prefixes; got != want {
			t.Errorf("%q gets the prefixes %q; want %q", model, got, want)
		}
	}
}
