package protobuf

import "google.golang.org/protobuf/reflect/protoreflect"

// known is a message type with a meaning of its own.
type known uint8

const (
	ordinary known = iota
	timestamp
	duration
	wrapper
	anyMessage
	structValue // google.protobuf.Struct: one map field
	listValue
	anyValue // google.protobuf.Value: one oneof
	fieldMask
)

// wellKnown tells what a message type means by its name, if it also has the
// fields that the meaning needs: a schema may define anything under any name.
func wellKnown(md protoreflect.MessageDescriptor) known {
	fields := md.Fields()
	only := func() protoreflect.FieldDescriptor { // the one field
		if fields.Len() != 1 || fields.Get(0).Number() != 1 {
			return nil
		}
		return fields.Get(0)
	}
	switch md.FullName() {
	case "google.protobuf.Timestamp", "foxglove.Time":
		if sec, nsec := secondsAndNanos(md); sec != nil && nsec != nil {
			return timestamp
		}
	case "google.protobuf.Duration", "foxglove.Duration":
		if sec, nsec := secondsAndNanos(md); sec != nil && nsec != nil {
			return duration
		}
	case "google.protobuf.DoubleValue", "google.protobuf.FloatValue",
		"google.protobuf.Int64Value", "google.protobuf.UInt64Value",
		"google.protobuf.Int32Value", "google.protobuf.UInt32Value",
		"google.protobuf.BoolValue", "google.protobuf.StringValue", "google.protobuf.BytesValue":
		if f := only(); f != nil && f.Cardinality() != protoreflect.Repeated && f.Message() == nil {
			return wrapper
		}
	case "google.protobuf.Any":
		url, value := fields.ByNumber(1), fields.ByNumber(2)
		if fields.Len() == 2 && isSingular(url, protoreflect.StringKind) && isSingular(value, protoreflect.BytesKind) {
			return anyMessage
		}
	case "google.protobuf.Struct":
		if f := only(); f != nil && f.IsMap() {
			return structValue
		}
	case "google.protobuf.ListValue":
		if f := only(); f != nil && f.IsList() {
			return listValue
		}
	case "google.protobuf.Value":
		if md.Oneofs().Len() == 1 && md.Oneofs().Get(0).Fields().Len() == fields.Len() {
			return anyValue
		}
	case "google.protobuf.FieldMask":
		if f := only(); f != nil && f.IsList() && f.Kind() == protoreflect.StringKind {
			return fieldMask
		}
	}
	return ordinary
}

func isSingular(f protoreflect.FieldDescriptor, kind protoreflect.Kind) bool {
	return f != nil && f.Cardinality() != protoreflect.Repeated && f.Kind() == kind
}

// secondsAndNanos returns the two fields of a time or duration, or nil for what
// the message type lacks.
func secondsAndNanos(md protoreflect.MessageDescriptor) (sec, nsec protoreflect.FieldDescriptor) {
	if md.Fields().Len() != 2 {
		return nil, nil
	}
	field := func(names ...protoreflect.Name) protoreflect.FieldDescriptor {
		for _, name := range names {
			if f := md.Fields().ByName(name); f != nil && f.Cardinality() != protoreflect.Repeated && fitsInt64(f.Kind()) {
				return f
			}
		}
		return nil
	}
	return field("seconds", "sec"), field("nanos", "nsec")
}

func fitsInt64(k protoreflect.Kind) bool {
	switch k {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Uint32Kind, protoreflect.Fixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return true
	}
	return false
}
