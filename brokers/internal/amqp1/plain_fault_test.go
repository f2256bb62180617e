package amqp1

import (
	"net/url"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func openPlain(rawURL, run string) (requester.Factory, error) {
	return brokertest.Open("amqp1", rawURL, run, NewFor)
}

func TestOtherBrokersConformOverTLS(t *testing.T) {
	for _, name := range others {
		t.Run(name, func(t *testing.T) {
			requestertest.Run(t, brokertest.Opened(t, openPlain, brokertest.NewerURL(t, name+"_TLS"), ""))
		})
	}
}

func TestOtherBrokersExplain(t *testing.T) {
	for _, name := range others {
		t.Run(name, func(t *testing.T) {
			plain, secured := brokertest.NewerURL(t, name), brokertest.NewerURL(t, name+"_TLS")
			host, securedHost := brokertest.HostOf(t, plain), brokertest.HostOf(t, secured)
			wrong := brokertest.Changed(t, secured, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "geheim") })
			unknown := brokertest.Changed(t, secured, func(u *url.URL) { u.RawQuery = "address={name}" })
			brokertest.SetupExplains(t, openPlain, map[string][]string{
				"wrong password":          {"amqp1://guest:geheim@" + host + "?address={name}", "amqp1://guest:xxxxx@" + host, "SASL", "correct user and password"},
				"wrong user":              {"amqp1://nobody:geheim@" + host + "?address={name}", "SASL", "correct user and password"},
				"no user":                 {"amqp1://" + host + "?address={name}", "", "correct user and password"},
				"wrong password over TLS": {wrong, "SASL", "correct user and password"},
				"TLS without":             {"amqp1://guest:geheim@" + securedHost + "?address={name}", "", "is amqp1 the scheme of this port"},
				"TLS where there is none": {"amqp1s://guest:geheim@" + host + "?address={name}", "", "scheme"},
				"unknown authority":       {unknown, "certificate signed by unknown authority", "tls-ca"},
			})
		})
	}
}
