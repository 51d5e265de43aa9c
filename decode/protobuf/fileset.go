package protobuf

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/sourcecontextpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"tapedeck/decode"
)

// wellKnownFiles are the files that sets may leave out, since every protoc has them.
var wellKnownFiles = func() map[string]protoreflect.FileDescriptor {
	files := map[string]protoreflect.FileDescriptor{}
	for _, f := range []protoreflect.FileDescriptor{
		anypb.File_google_protobuf_any_proto,
		apipb.File_google_protobuf_api_proto,
		descriptorpb.File_google_protobuf_descriptor_proto,
		durationpb.File_google_protobuf_duration_proto,
		emptypb.File_google_protobuf_empty_proto,
		fieldmaskpb.File_google_protobuf_field_mask_proto,
		sourcecontextpb.File_google_protobuf_source_context_proto,
		structpb.File_google_protobuf_struct_proto,
		timestamppb.File_google_protobuf_timestamp_proto,
		typepb.File_google_protobuf_type_proto,
		wrapperspb.File_google_protobuf_wrappers_proto,
	} {
		files[f.Path()] = f
	}
	return files
}()

// parseFiles reads a schema's FileDescriptorSet.
func parseFiles(data []byte) (*files, error) {
	if len(data) == 0 {
		return nil, errors.New("it has no data; expected a FileDescriptorSet")
	}
	set, err := unmarshalSet(data)
	if err != nil {
		raw, ok := decode.DecodeBase64(data)
		if !ok {
			return nil, err
		}
		if set, err = unmarshalSet(raw); err != nil {
			return nil, fmt.Errorf("base64 text: %w", err)
		}
	}
	return newFiles(set, len(data))
}

// unmarshalSet reads a FileDescriptorSet that has at least one file.
func unmarshalSet(data []byte) (*descriptorpb.FileDescriptorSet, error) {
	set := new(descriptorpb.FileDescriptorSet)
	opt := proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, RecursionLimit: maxNestedTypes}
	if err := opt.Unmarshal(data, set); err != nil {
		return nil, fmt.Errorf("expected a FileDescriptorSet: %w", err)
	}
	if len(set.GetFile()) == 0 {
		return nil, errors.New("expected a FileDescriptorSet, found no file in it")
	}
	return set, nil
}

// wellKnownFile returns the library's definition of a well-known file.
func wellKnownFile(path string) (*descriptorpb.FileDescriptorProto, bool) {
	f, ok := wellKnownFiles[path]
	if !ok {
		return nil, false
	}
	return protodesc.ToFileDescriptorProto(f), true
}
