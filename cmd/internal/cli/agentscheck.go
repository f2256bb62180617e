package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/agents/group"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

// checkTargets refuses what would measure the control server, or send passwords in the
// clear.
func (a *agentsFlags) checkTargets(known testbed.Targets, list []plan.Target, where group.Placement) error {
	var errs []error
	for _, t := range list {
		parsed := known.Parsed[t.URL]
		if own := parsed.Local() && len(parsed.Addresses()) > 0; own && where.Kind == group.SSH && !testbed.IsLocal(t.URL) { // of that checkNear says it
			errs = append(errs, fmt.Errorf("target %s is this machine's own: agents elsewhere would look for it on theirs", parsed))
		}
		u, err := url.Parse(a.Control)
		if err != nil || u.Host == "" {
			continue
		}
		if addr, same := sameServer(u, parsed.Addresses()); same {
			errs = append(errs, fmt.Errorf("--control %s is the target %s itself, at %s: the control server must not be the measured one", brokers.Redact(a.Control), parsed, addr))
		}
		if secret := parsed.String() != t.URL; secret && u.Scheme == "nats" && !loopbackHost(u.Hostname()) {
			errs = append(errs, fmt.Errorf("--control %s is not encrypted, and the target %s has a password: use tls://", brokers.Redact(a.Control), parsed))
		}
	}
	return errors.Join(errs...)
}

// sameServer tells whether a control server is at one of some addresses.
func sameServer(u *url.URL, addrs []string) (addr string, same bool) {
	mine := resolved(u.Hostname())
	isMine := func(ip string) bool { return slices.Contains(mine, ip) }
	for _, addr := range addrs {
		host, port, err := net.SplitHostPort(addr)
		if err == nil && port == cmp.Or(u.Port(), "4222") && slices.ContainsFunc(resolved(host), isMine) {
			return addr, true
		}
	}
	return "", false
}

// resolved returns the addresses of a host, and its name.
func resolved(host string) []string {
	list := []string{strings.ToLower(host)}
	if ips, err := net.LookupHost(host); err == nil { //nolint:noctx // a few names, before anything begins
		list = append(list, ips...)
	}
	return list
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
