package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
)

// tokenVariable is the variable of the environment that has the token; commands are shown to others.
const tokenVariable = "PULSAR_TOKEN"

// pending is how many messages of a connection may wait for their receipt. The client's default, 1000,
// is less than a stall of 100 ms at 20,000 messages a second leaves behind.
const pending = 1 << 16

var subscriptionTypes = map[string]pulsar.SubscriptionType{
	"exclusive": pulsar.Exclusive, "shared": pulsar.Shared, "failover": pulsar.Failover, "key_shared": pulsar.KeyShared,
}

// levels are the levels of durability that one Pulsar server can keep, the weakest first.
var levels = []string{"none", "accepted", "process", "machine", "node"}

// options are those of the command line.
type options struct {
	url, namespace, subscription, durability, tlsCA string
	batchingDelay                                   time.Duration
	nonPersistent                                   bool
}

// parse reads a command line.
func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("brokerbench-pulsar", flag.ContinueOnError)
	set.StringVar(&o.namespace, "namespace", "public/default", "tenant and namespace of the topics")
	set.StringVar(&o.subscription, "subscription-type", "exclusive", "of the consumer: exclusive, shared, failover or key_shared")
	set.DurationVar(&o.batchingDelay, "batching-delay", time.Millisecond, "how long a message waits for others to share a batch, as the client does by default; 0: no batches")
	set.BoolVar(&o.nonPersistent, "non-persistent", false, "non-persistent topics: the broker keeps messages in memory, and there is no audit")
	set.StringVar(&o.durability, "durability", "", "level that an acknowledged message has: process, or machine if journalSyncData=true in the bookies, or node if two of them acknowledge (default: process; with -non-persistent none)")
	set.StringVar(&o.tlsCA, "tls-ca", "", "file with the authority of the broker, for pulsar+ssl://")
	set.Usage = func() {
		fmt.Fprintf(set.Output(), "usage: brokerbench-pulsar [OPTION...] pulsar://HOST:PORT\n%s has a token, if the broker wants one.\n", tokenVariable)
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.url = set.Arg(0)
	return o, o.check(set.NArg())
}

func (o *options) check(args int) error {
	if args != 1 {
		return errors.New("want one argument, the URL of the broker: pulsar://127.0.0.1:6650")
	}
	if _, ok := subscriptionTypes[o.subscription]; !ok {
		return fmt.Errorf("-subscription-type=%s: want exclusive, shared, failover or key_shared", o.subscription)
	}
	if o.batchingDelay < 0 {
		return fmt.Errorf("-batching-delay=%v: want 0 or more", o.batchingDelay)
	}
	if o.durability == "" {
		o.durability = "process"
		if o.nonPersistent {
			o.durability = "none"
		}
	}
	if !slices.Contains(levels, o.durability) {
		return fmt.Errorf("-durability=%s: want %s", o.durability, strings.Join(levels, ", "))
	}
	if o.nonPersistent && o.durability != "none" {
		return fmt.Errorf("-durability=%s: -non-persistent topics are at none: the broker drops messages if the consumer is slow", o.durability)
	}
	return nil
}

// keeps returns an error if brokerbench asks for a level that the options do not back.
func (o *options) keeps(level string) error {
	if slices.Index(levels, level) <= slices.Index(levels, o.durability) {
		return nil
	}
	return fmt.Errorf("-durability=%s is less than %s: start the adapter with -durability=%s if the bookies are configured for it", o.durability, level, level)
}

// topic returns a new name for a connection's topic: the broker keeps a topic for a minute after its
// last use, and an audit would find what an earlier connection has sent.
func (o *options) topic(run string, conn uint32) string {
	kind := "persistent"
	if o.nonPersistent {
		kind = "non-persistent"
	}
	return fmt.Sprintf("%s://%s/brokerbench.%s.%d.%08x", kind, o.namespace, run, conn, rand.Uint32())
}

// client returns the options of the client.
func (o *options) client() pulsar.ClientOptions {
	c := pulsar.ClientOptions{URL: o.url, TLSTrustCertsFilePath: o.tlsCA, TLSValidateHostname: true, OperationTimeout: 25 * time.Second, Logger: logger()}
	if token := os.Getenv(tokenVariable); token != "" {
		c.Authentication = pulsar.NewAuthenticationToken(token)
	}
	return c
}
