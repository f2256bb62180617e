package network

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A subnet is 256 addresses, by the first.
type subnet struct{ first netip.Addr }

// firstMachine is the last part of the address of the first machine. That of this machine is 1.
const firstMachine = 11

func (s subnet) address(last int) string {
	four := s.first.As4()
	four[3] = byte(last)
	return netip.AddrFrom4(four).String()
}

// subnets returns the candidates, the better ones first: all of 198.18.0.0/15, which is reserved
// for network tests, and some of 10.0.0.0/8.
func subnets() (list []subnet) {
	for _, i := range rand.Perm(512) { // so that two runs seldom meet
		list = append(list, subnet{netip.AddrFrom4([4]byte{198, byte(18 + i/256), byte(i), 0})})
	}
	for _, i := range rand.Perm(256) { // likewise
		list = append(list, subnet{netip.AddrFrom4([4]byte{10, 213, byte(i), 0})})
	}
	return list
}

// free tells whether this machine sends nothing to the subnet but what it sends everywhere.
func (s subnet) free(routes []netip.Prefix) bool {
	whole := netip.PrefixFrom(s.first, 24)
	for _, r := range routes {
		if r.Bits() > 0 && r.Overlaps(whole) {
			return false
		}
	}
	return true
}

// link returns the name of this machine's end of the link to the switch. The subnet makes it
// unique.
func (s subnet) link() string {
	four := s.first.As4()
	return fmt.Sprintf("bb-%d-%d-%d", four[0], four[1], four[2])
}

// join chooses a subnet, and makes the link between this machine and the switch, which makes
// the subnet this network's: a second run that chooses it at the same time finds the link.
func (w *Network) join(ctx context.Context) (subnet, string, error) {
	routes, err := routes(ctx)
	if err != nil {
		return subnet{}, "", err
	}
	for _, s := range subnets() {
		if !s.free(routes) {
			continue
		}
		_, err := process.Output(ctx, "", "ip", "link", "add", s.link(), "type", "veth", "peer", "name", uplink, "netns", w.hub)
		if err == nil {
			return s, s.link(), nil
		}
		if !strings.Contains(err.Error(), "File exists") {
			return subnet{}, "", err
		}
	}
	return subnet{}, "", errors.New("this machine has another use for all of 198.18.0.0/15 and 10.213.0.0/16")
}

// routes returns where this machine sends packets.
func routes(ctx context.Context) ([]netip.Prefix, error) {
	text, err := process.Output(ctx, "", "ip", "-4", "-json", "route", "show", "table", "all")
	if err != nil {
		return nil, err
	}
	return parseRoutes(text)
}

func parseRoutes(text string) (list []netip.Prefix, err error) {
	var all []struct {
		To string `json:"dst"`
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("reading the routes of this machine: %w", err)
	}
	for _, one := range all {
		if to, err := netip.ParsePrefix(one.To); err == nil {
			list = append(list, to)
		} else if to, err := netip.ParseAddr(one.To); err == nil {
			list = append(list, netip.PrefixFrom(to, to.BitLen()))
		}
	}
	return list, nil
}
