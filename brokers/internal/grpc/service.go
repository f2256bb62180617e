package grpc

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"slices"

	grpcgo "google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
)

// A codec sends the bytes at a *[]byte unchanged, as a message. It has no name: the content type is that of
// protobuf, application/grpc, which every service takes.
type codec struct{}

// Name implements [encoding.CodecV2].
func (codec) Name() string { return "" }

// Marshal implements [encoding.CodecV2] with a copy.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.Copy(*v.(*[]byte), mem.DefaultBufferPool())}, nil
}

// Unmarshal implements [encoding.CodecV2]. It uses the memory at v again.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	message := v.(*[]byte)
	*message = slices.Grow((*message)[:0], data.Len())[:data.Len()]
	data.CopyTo(*message)
	return nil
}

// description describes the service.
func description() *grpcgo.ServiceDesc {
	return &grpcgo.ServiceDesc{
		ServiceName: form.Service,
		HandlerType: (*any)(nil),
		Methods:     []grpcgo.MethodDesc{{MethodName: "Call", Handler: answer}},
		Streams:     []grpcgo.StreamDesc{{StreamName: "Stream", Handler: echo, ServerStreams: true, ClientStreams: true}},
	}
}

// answer answers a call with its message.
func answer(_ any, _ context.Context, decode func(any) error, _ grpcgo.UnaryServerInterceptor) (any, error) {
	message := new([]byte)
	return message, decode(message)
}

// echo sends each message of a stream back.
func echo(_ any, stream grpcgo.ServerStream) error {
	message := new([]byte)
	for {
		err := stream.RecvMsg(message)
		if err == nil {
			err = stream.SendMsg(message)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// newServer returns a server with the service.
func newServer(options ...grpcgo.ServerOption) *grpcgo.Server {
	s := grpcgo.NewServer(append(options, grpcgo.ForceServerCodecV2(codec{}), grpcgo.MaxRecvMsgSize(math.MaxInt32))...)
	s.RegisterService(description(), nil)
	return s
}

// Serve is the service: it writes its address, and ends with in.
func Serve(in io.Reader, out io.Writer) error {
	s := newServer()
	serve := func(l net.Listener) error {
		if err := s.Serve(l); !errors.Is(err, grpcgo.ErrServerStopped) { // in ended before
			return err
		}
		return nil
	}
	return service.Serve(in, out, serve, s.Stop)
}
