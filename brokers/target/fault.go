package target

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// A Fault is an error of one target. It says in one line which target it was, what
// was being done, the cause and the remedy.
type Fault struct {
	Target Target
	Doing  string // such as "connecting"
	Err    error  // the cause
	Remedy string // such as "start the broker, or correct the URL"; "" if none is known
}

// Error returns "target: doing: cause (remedy)" in one line, several causes with semicolons, without secrets.
func (f *Fault) Error() string {
	cause := Redact(f.Err.Error())
	if f.Target.Password != "" {
		cause = strings.ReplaceAll(cause, f.Target.Password, "xxxxx")
	}
	text := f.Target.String() + ": " + f.Doing + ": " + cause
	if f.Remedy != "" {
		text += " (" + f.Remedy + ")"
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", "; ")), " ")
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Explain returns a [Fault] of t with the remedy for its cause: the one that own
// knows of the broker's causes, else one that all networks have in common. It
// returns nil for a nil err, and err itself if it is a Fault already.
func Explain(t Target, doing string, err error, own ...func(error) string) error {
	var already *Fault
	if err == nil || errors.As(err, &already) {
		return err
	}
	f := &Fault{Target: t, Doing: doing, Err: err}
	if unbacked := new(unbackedError); errors.As(err, &unbacked) {
		f.Remedy = unbacked.remedy()
	}
	for _, remedy := range append(own, networkRemedy) {
		if f.Remedy == "" && remedy != nil {
			f.Remedy = remedy(err)
		}
	}
	return f
}

// Remedies has the remedies for a broker's errors: for those that wrap Err, and those that contain Text, in
// its own letters or in lower case.
type Remedies []struct {
	Err          error
	Text, Remedy string
}

// For returns the first remedy of the list for an error; "" if there is none.
func (r Remedies) For(err error) string {
	text := err.Error()
	text += strings.ToLower(text)
	for _, one := range r {
		if one.Err != nil && errors.Is(err, one.Err) || one.Text != "" && strings.Contains(text, one.Text) {
			return one.Remedy
		}
	}
	return ""
}

// Because returns why a client's err happened, which the client itself often does
// not say: ctx has ended, or the first of causes that is not nil. It returns nil
// for a nil err.
func Because(ctx context.Context, err error, causes ...error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(over(ctx), cmp.Or(causes...), err)
}

// over returns why ctx has ended, also in the moment between its deadline and the timer that
// ends it, in which a socket with the same deadline may give up first.
func over(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return context.Cause(ctx)
}

func networkRemedy(err error) string {
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var header tls.RecordHeaderError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: start the broker, or correct host and port"
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme without TLS, or correct the port"
	case errors.As(err, &dns):
		return "correct the host's name"
	case errors.As(err, &authority):
		return "name its authority with tls-ca, or use tls-insecure=true"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew the broker's certificate, or correct the clock of this machine, or use tls-insecure=true"
	case errors.As(err, &hostname):
		return "use the name in the certificate, or tls-server-name"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "no answer in time: is it this kind of broker, and does a firewall let it through?"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "the broker closed the connection: is it this kind of broker, and is TLS expected?"
	}
	return ""
}
