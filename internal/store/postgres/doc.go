// Package postgres keeps agent sessions in a PostgreSQL database, version 15 or
// newer: a store.Store that behaves as package sqlite's does, and passes the same
// tests. No extension is needed; Info says whether pgvector is there.
//
// # How
//
// All it makes stands in the schema tapedeck, beside whatever else the database
// holds. Migrations are embedded and run when a store is opened, once, by one
// program. Whoever writes does so alone, under an advisory lock, as in SQLite;
// readers wait for nobody and see one moment's state.
//
// # What it needs
//
// A database in UTF-8, and once the right to create a schema in it (or a schema
// tapedeck that the user owns). The collation of the database makes no difference.
//
// # What it promises
//
// Names and bodies come back exactly, also such that PostgreSQL's text refuses.
// Derived texts are cleaned (see session.Clean). The password of a DSN is in no
// error, log or Info. What can't be reached, or is not fit, is a
// store.ErrUnavailable that says what to do.
package postgres
