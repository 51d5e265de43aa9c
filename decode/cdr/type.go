package cdr

import "tapedeck/decode"

// Kind is what a value is on the wire.
type Kind uint8

// The kinds of values. Widths are those of the wire.
const (
	Invalid    Kind = iota
	Bool            // 1 byte
	Int8            // 1 byte
	Uint8           // 1 byte
	Byte            // 1 byte without meaning as a number: arrays of it are blobs; alone it is a UTINYINT
	Int16           // 2 bytes
	Uint16          // 2 bytes
	Int32           // 4 bytes
	Uint32          // 4 bytes
	Int64           // 8 bytes
	Uint64          // 8 bytes
	Float32         // 4 bytes
	Float64         // 8 bytes
	LongDouble      // 16 bytes, held as a Float64
	Char            // 1 byte of text, held as a String
	WChar           // 2 bytes: a UTF-16 unit, held as a String
	String          // a length, bytes, and in CDR a NUL
	WString         // a length in UTF-16 units, then the units
	Enum            // an int32 (see Type.Bits); Labels has its names
	Time            // int32 (ROS 1: uint32) seconds, uint32 nanoseconds since the Unix epoch
	Duration        // int32 seconds, uint32 (ROS 1: int32) nanoseconds
	Array           // Len elements
	Sequence        // a length, then the elements
	Struct          // its members, one after the other
	Union           // a discriminator, then the member that it picks
)

// Extensibility is how XCDR2 writes a struct (DDS-XTypes 1.3, 7.2.2.4.2).
type Extensibility uint8

// The extensibilities. Plain CDR writes Final and Appendable alike.
const (
	Final      Extensibility = iota
	Appendable               // XCDR2: a DHEADER in front
	Mutable                  // a parameter list
	Unsaid                   // Final or Appendable: as the message shows its writer's default to be
)

// Type is a type that a definition language (ros1msg, ros2msg, ros2idl, omgidl)
// gave. A type may be part of itself; see Compile.
type Type struct {
	Kind          Kind
	Name          string // of Struct, Union and Enum, for errors
	Elem          *Type  // of Array and Sequence
	Len           int    // of Array: how many elements, all dimensions multiplied
	Bits          int    // of Enum: 8, 16 or 32; 0 means 32
	Labels        []Label
	Members       []Member // of Struct and Union
	Discriminator *Type    // of Union
	Extensibility Extensibility
	Entry         bool // of Struct: the key and value of a map, which is a Sequence of them
}

// Label is a name of an enum's value.
type Label struct {
	Name  string
	Value int64
}

// Member is a member of a struct or a union.
type Member struct {
	Name        string
	Type        *Type
	Description string  // comment, constants, units: one line
	Optional    bool    // @optional: absent on the wire or not
	ID          uint32  // member id, used by Mutable and by optional members
	Cases       []int64 // of a union: the discriminator's values that pick it
	Default     bool    // of a union: picked by every other value
}

// Format is how values lie on the wire.
type Format uint8

// The formats.
const (
	// CDR is OMG CDR behind its four-byte encapsulation header, which picks the
	// byte order and XCDR1 or XCDR2.
	CDR Format = iota
	// ROS1 is ROS 1 serialisation: little-endian, no header, no alignment,
	// strings without NUL.
	ROS1
)

// Compile makes a plan for messages of root, which must be a Struct. A type
// that is part of itself is held as JSON text from its second appearance on.
// Errors wrap decode.ErrSchema.
func Compile(root *Type, format Format, opt decode.Options) (decode.Plan, error) {
	return compile(root, format, opt)
}
