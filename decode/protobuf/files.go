package protobuf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// files are the files of one schema, made into descriptors as they are needed.
type files struct {
	protos   map[string]*descriptorpb.FileDescriptorProto
	declared declarations
	built    protoregistry.Files
	state    map[string]state // of each path that was asked for
	public   map[string]int   // ways along public imports that begin at a path
	missing  []string         // imports that the schema lacks
}

type state uint8

const (
	unseen state = iota
	building
	built
	absent
)

// newFiles takes the files of a set. Of files with one path the first counts:
// writers that join sets repeat what these share.
func newFiles(set *descriptorpb.FileDescriptorSet, size int) (*files, error) {
	fs := &files{
		protos:   map[string]*descriptorpb.FileDescriptorProto{},
		state:    map[string]state{},
		public:   map[string]int{},
		declared: declarations{paths: map[string]string{}, budget: nameBytesAlways + nameBytesPerByte*size},
	}
	for _, f := range set.GetFile() {
		if _, twice := fs.protos[f.GetName()]; twice {
			continue
		}
		fs.protos[f.GetName()] = f
		fs.declared.file(f)
	}
	return fs, fs.declared.err
}

// message returns the descriptor of a message type by its full name, which may
// have a dot in front.
func (fs *files) message(name string) (protoreflect.MessageDescriptor, error) {
	full := strings.TrimPrefix(name, ".")
	path, ok := fs.declared.paths[full]
	if !ok {
		return nil, fmt.Errorf("it has no message type %q; it has %s", full, fs.suggest(full))
	}
	if err := fs.build(path, 0); err != nil {
		return nil, err
	}
	d, err := fs.built.FindDescriptorByName(protoreflect.FullName(full))
	if err != nil {
		return nil, fmt.Errorf("message type %q: %w", full, err)
	}
	md, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%q is not a message type", full)
	}
	return md, nil
}

// suggest names some message types, those with the same last part first.
func (fs *files) suggest(name string) string {
	if len(fs.declared.names) == 0 {
		return "none"
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	far := func(candidate string) int {
		if candidate[strings.LastIndexByte(candidate, '.')+1:] == last {
			return 0
		}
		return 1
	}
	names := slices.Clone(fs.declared.names)
	slices.SortStableFunc(names, func(a, b string) int { return far(a) - far(b) })
	if more := len(names) - maxNamesSuggested; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamesSuggested], ", "), more)
	}
	return strings.Join(names, ", ")
}

// build makes descriptors of a file and of what it imports, in the order that
// the imports ask for.
func (fs *files) build(path string, depth int) error {
	switch fs.state[path] {
	case built, absent:
		return nil
	case building:
		return fmt.Errorf("file %q imports itself", path)
	}
	if depth > maxImportDepth {
		return fmt.Errorf("file %q lies more than %d imports deep", path, maxImportDepth)
	}
	f, ok := fs.protos[path]
	if !ok {
		if f, ok = wellKnownFile(path); !ok {
			fs.state[path] = absent
			fs.missing = append(fs.missing, path)
			return nil
		}
	}
	fs.state[path] = building
	defer func() { fs.state[path] = built }()
	for _, dep := range f.GetDependency() {
		if err := fs.build(dep, depth+1); err != nil {
			return err
		}
	}
	if err := fs.countPublic(f); err != nil {
		return err
	}
	fd, err := newFile(f, &fs.built)
	if err != nil {
		return fmt.Errorf("file %q: %w", path, err)
	}
	if err := fs.built.RegisterFile(fd); err != nil {
		return fmt.Errorf("file %q: %w", path, err)
	}
	return nil
}

// countPublic counts the ways along public imports. Two files that both import
// the next two publicly double them with each level.
func (fs *files) countPublic(f *descriptorpb.FileDescriptorProto) error {
	ways := 1
	for _, i := range f.GetPublicDependency() {
		if i >= 0 && int(i) < len(f.GetDependency()) {
			ways += fs.public[f.GetDependency()[i]]
		}
	}
	if ways > maxPublicImports {
		return fmt.Errorf("file %q imports others publicly in more than %d ways", f.GetName(), maxPublicImports)
	}
	fs.public[f.GetName()] = ways
	return nil
}

// buildRest makes descriptors of all files that can be: an Any may hold a type
// that nothing imports.
func (fs *files) buildRest() {
	for _, name := range fs.declared.names {
		_, _ = fs.message(name)
	}
}

// newFile is the library's constructor. Imports may be missing, as custom
// options often are; a field whose type is missing is found out when it is
// needed. A descriptor that the library is not ready for must not end the program.
func newFile(f *descriptorpb.FileDescriptorProto, known *protoregistry.Files) (fd protoreflect.FileDescriptor, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("its descriptor breaks the rules of descriptors")
		}
	}()
	return protodesc.FileOptions{AllowUnresolvable: true}.New(f, known)
}
