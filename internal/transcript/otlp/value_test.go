package otlp

import (
	"testing"

	"github.com/tidwall/gjson"
)

func TestPlain(t *testing.T) {
	tests := map[string]struct{ value, want string }{
		"text":              {`{"stringValue":"x"}`, `"x"`},
		"integer as text":   {`{"intValue":"9007199254740993"}`, `9007199254740993`},
		"integer as number": {`{"intValue":7}`, `7`},
		"double":            {`{"doubleValue":0.5}`, `0.5`},
		"no number":         {`{"doubleValue":"NaN"}`, `"NaN"`},
		"bool":              {`{"boolValue":true}`, `true`},
		"bytes":             {`{"bytesValue":"AAAA"}`, `"AAAA"`},
		"list":              {`{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":1}]}}`, `["x",1]`},
		"empty list":        {`{"arrayValue":{}}`, `[]`},
		"object":            {`{"kvlistValue":{"values":[{"key":"a","value":{"kvlistValue":{"values":[{"key":"b","value":{"boolValue":false}}]}}},{"key":5,"value":{}}]}}`, `{"a":{"b":false}}`},
		"nothing":           {`{}`, `null`},
		"an unknown kind":   {`{"newValue":1}`, `null`},
		"a wrong type":      {`7`, `7`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(plain(gjson.Parse(test.value))); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestIdentifier(t *testing.T) {
	tests := map[string]struct {
		value string
		size  int
		want  string
	}{
		"lower hex":       {`"0102030405060708"`, spanSize, "0102030405060708"},
		"upper hex":       {`"EEE19B7EC3C1B174"`, spanSize, "eee19b7ec3c1b174"},
		"base64":          {`"7uGbfsPBsXQ="`, spanSize, "eee19b7ec3c1b174"},
		"base64, a trace": {`"SlX3zpNAxtNtsS4wfk0/Nw=="`, traceSize, "4a55f7ce9340c6d36db12e307e4d3f37"},
		"zeros":           {`"0000000000000000"`, spanSize, ""},
		"nothing":         {`""`, spanSize, ""},
		"null":            {`null`, spanSize, ""},
		"of its own form": {`"Run-7"`, spanSize, "run-7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := identifier(gjson.Parse(test.value), test.size); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestNanoseconds(t *testing.T) {
	tests := map[string]struct {
		value string
		want  int64
	}{
		"text":       {`"1700000000123456789"`, 1700000000123456789},
		"number":     {`1700000000123456789`, 1700000000123456789},
		"JavaScript": {`[1700000000,123456789]`, 1700000000123456789},
		"negative":   {`"-5"`, 0},
		"too large":  {`[99999999999999,1]`, 1},
		"words":      {`"soon"`, 0},
		"null":       {`null`, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := nanoseconds(gjson.Parse(test.value)); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
