//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// names are the brokers, as deploy/local calls them.
var names = []string{"nats", "redis8", "rabbitmq4", "kafka"}

// script provides them.
const script = "deploy/local/brokers"

// servers are brokers that run, and their addresses.
type servers struct {
	state string
	env   map[string]string // BROKERBENCH_NATS_URL and so on
}

// up starts all brokers with a number of nodes, configured for a level. The caller calls
// down.
func up(ctx context.Context, state, level string, nodes int) (*servers, error) {
	s := &servers{state: state, env: make(map[string]string)}
	out, err := s.run(ctx, append([]string{"up", "--require", "--durability", level, "--nodes", strconv.Itoa(nodes)}, names...)...)
	if err != nil {
		s.down()
		return nil, err
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		s.env[name] = strings.Trim(value, `'"`)
	}
	return s, nil
}

// run calls the script, and returns its output.
func (s *servers) run(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, script, args...)
	c.Env = append(os.Environ(), "BROKERBENCH_STATE="+s.state, "BROKERBENCH_START_TIMEOUT=180")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", script, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// down ends the brokers, also after ctx.
func (s *servers) down() { _, _ = s.run(context.Background(), "down") }

// target returns a broker's URL with options, and with those that tell brokerbench where to
// ask for its configuration.
func (s *servers) target(name string, options ...string) string {
	variable := "BROKERBENCH_" + strings.ToUpper(name)
	url := s.env[variable+"_URL"]
	if name == "nats" {
		options = append(options, "monitoring="+s.env[variable+"_MONITOR_URL"])
	}
	for _, option := range options {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + option
	}
	return name + "=" + url
}
