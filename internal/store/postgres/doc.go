// Package postgres keeps agent sessions in a PostgreSQL database, version 15 or
// newer: a store.Store and store.Index that behave as package sqlite's do, and pass
// the same tests. No extension is needed but for vectors, which need pgvector 0.8;
// Info says whether it is there.
//
// # How
//
// All it makes stands in the schema tapedeck, beside whatever else the database
// holds. Migrations are embedded and run when a store is opened, once, by one
// program. Whoever writes does so alone, under an advisory lock, as in SQLite;
// readers wait for nobody and see one moment's state.
//
// # How it searches
//
// Texts are indexed by PostgreSQL's full text (a tsvector without stop words, and
// GIN), and ranked by BM25, for which it counts in how many texts each word is: the
// ranking that PostgreSQL has knows nothing of that. Of a query's words the rarest
// choose what is ranked, and all of them rank it.
//
// Each generation of vectors has a table of its own. Its HNSW index is made when
// there are enough vectors and none is missing. A search goes along it until as many
// documents as are wanted pass the filter; where a filter keeps few, it compares all
// of those.
//
// Vectors are the vectors alone, of documents that lie in another database: one of
// this kind or of SQLite.
//
// # What it needs
//
// A database in UTF-8, and once the right to create a schema in it (or a schema
// tapedeck that the user owns); for vectors the extension, or the right to make it
// (Generation does). The collation of the database makes no difference.
//
// # What it promises
//
// Names and bodies come back exactly, also such that PostgreSQL's text refuses.
// Derived texts are cleaned (see session.Clean). The password of a DSN is in no
// error, log or Info. What can't be reached, or is not fit, is a
// store.ErrUnavailable that says what to do.
package postgres
