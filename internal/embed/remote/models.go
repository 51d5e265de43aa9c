package remote

import "strings"

// Prefixes are what a model was trained to see in front of a text.
type Prefixes struct{ Query, Document string }

// A known is what is known about a family of models.
type known struct {
	part     string // of the model's name
	tokens   int    // that one text may have
	prefixes Prefixes
}

// Prefixes that several families share.
var (
	represent = Prefixes{Query: "Represent this sentence for searching relevant passages: "}
	instruct  = Prefixes{Query: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "}
)

// families are the models that people use, the first that fits counts. Windows and
// prefixes are from the model cards, which for open models are at
// https://huggingface.co/ under the name in the comment.
var families = []known{
	{"embeddinggemma", 2048, Prefixes{"task: search result | query: ", "title: none | text: "}}, // google/embeddinggemma-300m
	{"nomic-embed-text-v2", 512, Prefixes{"search_query: ", "search_document: "}},               // nomic-ai/nomic-embed-text-v2-moe
	{"nomic-embed-text", 8192, Prefixes{"search_query: ", "search_document: "}},                 // nomic-ai/nomic-embed-text-v1.5
	{"e5-mistral", 4096, instruct},                                    // intfloat/e5-mistral-7b-instruct
	{"e5-large-instruct", 512, instruct},                              // intfloat/multilingual-e5-large-instruct
	{"e5-", 512, Prefixes{"query: ", "passage: "}},                    // intfloat/multilingual-e5-small
	{"mxbai-embed", 512, represent},                                   // mixedbread-ai/mxbai-embed-large-v1
	{"snowflake-arctic-embed2", 8192, Prefixes{Query: "query: "}},     // Snowflake/snowflake-arctic-embed-l-v2.0, as Ollama names it
	{"snowflake-arctic-embed-l-v2", 8192, Prefixes{Query: "query: "}}, // Snowflake/snowflake-arctic-embed-l-v2.0
	{"snowflake-arctic-embed-m-v2", 8192, Prefixes{Query: "query: "}}, // Snowflake/snowflake-arctic-embed-m-v2.0
	{"snowflake-arctic-embed", 512, represent},                        // Snowflake/snowflake-arctic-embed-l
	{"qwen3-embedding", 32768, instruct},                              // Qwen/Qwen3-Embedding-0.6B
	{"bge-m3", 8192, Prefixes{}},                                      // BAAI/bge-m3
	{"bge-large-zh", 512, Prefixes{}},                                 // BAAI/bge-large-zh-v1.5, which does without
	{"bge-large", 512, represent},                                     // BAAI/bge-large-en-v1.5
	{"bge-base-en", 512, represent},                                   // BAAI/bge-base-en-v1.5
	{"bge-small-en", 512, represent},                                  // BAAI/bge-small-en-v1.5
	{"all-minilm", 256, Prefixes{}},                                   // sentence-transformers/all-MiniLM-L6-v2
	{"text-embedding-", 8192, Prefixes{}},                             // https://developers.openai.com/api/reference/resources/embeddings.md
}

// unknown is what is assumed of any other model: the window of most that are built
// on BERT.
var unknown = known{tokens: 512}

// bytesPerToken is how many bytes of ordinary text make a token at least. English
// has more than four, but code, paths and YAML come down to two.
const bytesPerToken = 2

// lookUp finds what is known about a model. Its name may have an owner and a tag:
// "google/embeddinggemma-300m", "nomic-embed-text:v1.5".
func lookUp(model string) known {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, k := range families {
		if at := strings.Index(name, k.part); at == 0 || at > 0 && name[at-1] == '-' {
			return k
		}
	}
	return unknown
}
