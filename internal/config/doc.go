// Package config gathers tapedeck's settings from its four layers: defaults,
// a TOML file, environment variables, flags. The later layer wins.
//
// # What it does
//
// One table, in settings.go, names every setting with its default, its bounds
// and how each layer spells it. Parsing, flags, the `config` command and the
// table in docs/configuration.md all follow from it: a setting is added by one
// entry there and one field in [Config].
//
// The MCAP_* variables and the configuration file of the Python MCAP server are
// read as well, so that its users can move without a change.
//
// # What it does not
//
// It opens no recordings and no sockets, and does not check that folders exist:
// whoever uses a value does.
//
// # What it promises
//
// Nothing is ignored: an unknown key, a value of the wrong type or out of its
// bounds is an [Error] that names source, key, value and what is allowed, and
// all such errors are reported at once. The value of a secret is in no error
// and in no [Value].
package config
