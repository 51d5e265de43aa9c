package config

import (
	"errors"
	"strings"
	"testing"
)

func TestPasswordsOfDatabasesAreNotShown(t *testing.T) {
	for _, tt := range []struct{ dsn, want string }{
		{"postgres://ada@db/tapes", "postgres://ada@db/tapes"},
		{"postgres://ada:s3cret@db:5432/tapes?sslmode=require", "postgres://ada:********@db:5432/tapes?sslmode=require"},
		{"postgresql://ada:s%3A3@cret@db/tapes", "postgresql://ada:********@db/tapes"},
		{"postgres://db/tapes?user=ada&password=s3cret&sslmode=off", "postgres://db/tapes?user=ada&password=********&sslmode=off"},
		{"postgres://ada:s3cret@db@db/tapes?application_name=@db", "postgres://ada:********@db/tapes?application_name=@db"},
		{"host=db password=s3cret user=ada", "host=db password=******** user=ada"},
		{`host=db password = 's3 c\'ret' user=ada`, "host=db password = ******** user=ada"},
		{"host=db password='s3cret", "host=db password=********"},
		{"host=db sslpassword=s3cret", "host=db sslpassword=********"},
	} {
		s := newSources(t)
		s.env("TAPEDECK_POSTGRES=" + tt.dsn)
		c := s.load()
		if c.Postgres != tt.dsn {
			t.Errorf("%s became %s", tt.dsn, c.Postgres)
		}
		for _, v := range c.Values() {
			if v.Name == "postgres" && v.Text() != tt.want {
				t.Errorf("%s is shown as %s, want %s", tt.dsn, v.Text(), tt.want)
			}
		}
	}
}

func TestBadDSNs(t *testing.T) {
	for _, dsn := range []string{"db", "mysql://ada:s3cret@db/tapes", "postgres://ada:s3cret@db:port/tapes"} {
		_, err := Load(Sources{Dir: t.TempDir(), Environ: []string{"TAPEDECK_POSTGRES=" + dsn}})
		if !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}
