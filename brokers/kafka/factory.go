package kafka

import (
	"errors"
	"fmt"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	name        = "kafka" // for `brokerbench brokers`
	scheme      = "kafka"
	schemeTLS   = "kafka+tls"
	defaultPort = "9092"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	settings []requester.Setting
	common   []kgo.Opt // the options that all clients of this target share
	messages sync.Pool // of *message
}

var (
	_ requester.Factory   = (*Factory)(nil)
	_ requester.Describer = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the topics' names: no two runs on a cluster may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open(rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (*Factory, error) {
	f := &Factory{target: t, run: run}
	if err := f.configure(); err != nil {
		return nil, fmt.Errorf("kafka: target %s: %w", t, err)
	}
	return f, nil
}

// configure checks the URL and reads its options.
func (f *Factory) configure() error {
	set := target.NewOptions(name)
	f.options.define(set)
	err := errors.Join(f.checkURL(), set.Apply(f.target.Query))
	if err == nil {
		err = f.options.check(f.target)
	}
	if err == nil {
		f.common, err = f.commonOpts()
	}
	if err == nil { // options that franz-go refuses are reported now, not by Setup
		err = kgo.ValidateOpts(f.measuredOpts(f.topic(0), new(hooks))...)
	}
	f.settings = set.Settings()
	return err
}

func (f *Factory) checkURL() error {
	var errs []error
	if f.target.Scheme != scheme && f.target.Scheme != schemeTLS {
		errs = append(errs, fmt.Errorf("scheme %q: want %s or %s", f.target.Scheme, scheme, schemeTLS))
	}
	if f.target.Path != "" {
		errs = append(errs, fmt.Errorf("path %q: a Kafka target has none: leave it out, each run makes its own topics", f.target.Path))
	}
	return errors.Join(append(errs, target.CheckRun(f.run))...)
}

// New implements [requester.Factory].
func (f *Factory) New(conn int, reply requester.Reply) (requester.Requester, error) {
	return newConn(f, conn, reply), nil
}

// topic returns the name of a connection's topic.
func (f *Factory) topic(conn int) string { return fmt.Sprintf("brokerbench.%s.%d", f.run, conn) }
