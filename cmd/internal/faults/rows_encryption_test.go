//go:build linux

package faults

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// encryption are rows with a mistake in TLS or in the password. Each is said in one
// line, with a remedy.
func encryption() []row {
	to := func(target func(*attempt) *url.URL) func(*attempt) {
		return func(a *attempt) { a.url = target(a).String() }
	}
	option := func(key, value string) func(*attempt) *url.URL {
		return func(a *attempt) *url.URL { return with(a.broker.tls, key, value) }
	}
	rows := []row{
		{fault: "TLS: wrong authority", before: func(a *attempt) { to(option("tls-ca", a.authority.ca))(a) }, says: []string{"tls-ca"}},
		{fault: "TLS: no authority", before: to(option("tls-ca", "")), says: []string{"tls-ca"}},
		{fault: "TLS: wrong host", before: to(func(a *attempt) *url.URL {
			return at(a.broker.tls, linetest.Relay(a.t, relay.Options{Listen: elsewhere + ":0", Backend: a.broker.tls.Host}).Addr())
		}), says: []string{"tls-server-name"}},
		{fault: "TLS: wrong name", before: to(option("tls-server-name", "broker.example")), says: []string{"tls-server-name"}},
		{fault: "TLS: expired", before: expired, says: []string{"expired", "("}},
		{fault: "TLS: the broker has none", before: to(func(a *attempt) *url.URL { return at(a.broker.tls, a.broker.plain.Host) }), says: []string{"("}},
		{fault: "TLS: only the broker has it", before: to(func(a *attempt) *url.URL { return at(a.broker.plain, a.broker.tls.Host) }), says: []string{"("}},
		{fault: "wrong password", before: to(func(a *attempt) *url.URL {
			u := at(a.broker.tls, a.broker.tls.Host)
			u.User = url.UserPassword("bench", "not-"+secret)
			return u
		}), says: []string{"password"}},
		{fault: "wrong user", before: to(func(a *attempt) *url.URL {
			u := at(a.broker.tls, a.broker.tls.Host)
			u.User = url.UserPassword("nobody", secret)
			return u
		}), says: []string{"password"}},
	}
	for i := range rows {
		rows[i].exit, rows[i].unmade = []int{1}, true
	}
	return append(rows, row{fault: "TLS and a password", late: 20 * time.Second, before: to(func(a *attempt) *url.URL { return a.broker.tls })})
}

// with is a URL with an option; without it, if the value is empty.
func with(u *url.URL, key, value string) *url.URL {
	other, query := *u, u.Query()
	query.Set(key, value)
	if value == "" {
		query.Del(key)
	}
	other.RawQuery = query.Encode()
	return &other
}

// expired has a broker whose certificate has expired. NATS says a line before TLS
// begins, so it is a server of its own; the others have a front.
func expired(a *attempt) {
	u := with(a.broker.tls, "tls-ca", a.authority.ca)
	if a.broker.name != "nats" {
		a.url = at(u, a.authority.front(a.t, a.broker.plain.Host)).String()
		return
	}
	conf := fmt.Sprintf("authorization { user: bench, password: %s }\ntls { cert_file: %q, key_file: %q }\n", secret, a.authority.cert, a.authority.key)
	a.url = at(u, startNATS(a, conf).address).String()
}

// plain is the URL of another server without TLS, as that of the broker is.
func (a *attempt) plain(address string) string {
	return strings.Replace(a.broker.plain.String(), a.broker.plain.Host, address, 1)
}
