// Package target is what the brokers share: it parses URLs and options, sets up TLS,
// and makes errors that name the target, the cause and the remedy.
package target

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// A Target is a broker at a URL with options.
type Target struct {
	Scheme   string     // lower case
	User     string     // "" if none
	Password string     // "" if none; never printed
	Hosts    []string   // host or host:port, in the order given; may be empty
	Path     string     // unescaped, without the leading slash; "" if none
	Query    url.Values // the options
	Command  string     // of exec:COMMAND, without its options; such a target has no hosts

	// Via says where to dial instead of a host and port: at a relay in front of it. Questions
	// about leadership ignore it. Nil: dial the hosts themselves.
	Via map[string]string

	hasUser, hasPassword, hasPath bool
}

// commandScheme is the scheme of a target that is a command.
const commandScheme = "exec"

// Parse reads exec:COMMAND, or scheme://user:password@host:port,host:port/path?option=value. It
// does not use net/url for the whole, which refuses several hosts. An error never
// repeats a password.
func Parse(raw string) (Target, error) {
	var t Target
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok || scheme == "" {
		return t, fmt.Errorf("target %q: not a URL: it needs a scheme, as in nats://127.0.0.1:4222", Redact(raw))
	}
	t.Scheme = strings.ToLower(scheme)
	if t.Scheme == commandScheme {
		return t, t.setCommand(rest)
	}
	rest, query, _ := strings.Cut(rest, "?")
	authority, isHierarchical := strings.CutPrefix(rest, "//")
	if !isHierarchical && rest != "" {
		return t, fmt.Errorf("target %q: write // after the scheme: %s://host:port", Redact(raw), t.Scheme)
	}
	authority, path, hasPath := strings.Cut(authority, "/")
	if unescaped(authority, path, query) {
		// Whatever stands before the last @ may be part of a password.
		return t, fmt.Errorf("target %s://…%s: in user, password, path and options write @ as %%40, / as %%2F and ? as %%3F",
			t.Scheme, raw[strings.LastIndex(raw, "@"):])
	}
	err := t.setUser(&authority)
	if err := t.setHosts(authority); err != nil {
		// The authority may be a password whose @host is missing.
		return t, fmt.Errorf("target %s://…: %w", t.Scheme, err)
	}
	if err = errors.Join(err, t.setPath(path, hasPath), t.setQuery(query)); err != nil {
		return t, fmt.Errorf("target %s: %w", Redact(raw), err)
	}
	return t, nil
}

// setCommand reads a command, and the options behind it: a last word that begins with a question mark.
func (t *Target) setCommand(text string) error {
	t.Command = text
	if i := strings.LastIndex(text, " ?"); i >= 0 && !strings.ContainsAny(text[i+1:], ` '"`) {
		t.Command = text[:i]
		return t.setQuery(text[i+2:])
	}
	return nil
}

// unescaped reports whether an @ behind the authority may end a password that holds
// an unescaped / or ?. Only the value of an option may hold one, where nothing else
// says that there is a password.
func unescaped(authority, path, query string) bool {
	switch {
	case !strings.Contains(path+query, "@"):
		return false
	case strings.Contains(authority, "@") || strings.Contains(path, "@"):
		return true
	}
	for option := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(option, "="); strings.Contains(name, "@") {
			return true
		}
	}
	_, _, err := net.SplitHostPort(authority)
	return strings.Contains(authority, ":") && (err != nil || checkHost(authority) != nil)
}

// setUser cuts user:password@ from the head of authority.
func (t *Target) setUser(authority *string) error {
	at := strings.LastIndex(*authority, "@")
	if at < 0 {
		return nil
	}
	user, password, hasPassword := strings.Cut((*authority)[:at], ":")
	*authority = (*authority)[at+1:]
	t.hasUser, t.hasPassword = true, hasPassword
	var err1, err2 error
	t.User, err1 = url.PathUnescape(user)
	t.Password, err2 = url.PathUnescape(password)
	if err1 != nil || err2 != nil {
		return errors.New("user and password: write a special character as % and two hexadecimal digits")
	}
	return nil
}

func (t *Target) setHosts(authority string) error {
	if authority == "" {
		return nil
	}
	t.Hosts = strings.Split(authority, ",")
	for _, host := range t.Hosts {
		if err := checkHost(host); err != nil {
			return err
		}
	}
	return nil
}

// errHost does not repeat what it refuses: see Parse.
var errHost = errors.New("want host:port behind the scheme and any user:password@, with a port between 0 and 65535")

// checkHost checks one host, host:port, [v6] or [v6]:port.
func checkHost(host string) error {
	u, err := url.Parse("//" + host)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Host != host || strings.ContainsAny(host, "\\ ") {
		return errHost
	}
	if _, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && err != nil {
		return errHost
	}
	return nil
}

func (t *Target) setPath(path string, hasPath bool) (err error) {
	t.hasPath = hasPath
	if t.Path, err = url.PathUnescape(path); err != nil {
		return fmt.Errorf("path %q: %w", path, err)
	}
	return nil
}

func (t *Target) setQuery(query string) (err error) {
	if t.Query, err = url.ParseQuery(query); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	return nil
}

// Addrs returns the hosts, with port where a host has none. Without
// hosts it returns localhost with port.
func (t Target) Addrs(port string) []string {
	hosts := t.Hosts
	if len(hosts) == 0 {
		hosts = []string{"localhost"}
	}
	addrs := make([]string, len(hosts))
	for i, host := range hosts {
		addrs[i] = host
		if _, _, err := net.SplitHostPort(host); err != nil {
			addrs[i] = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
	}
	return addrs
}

// At returns where to dial for a host and port: there, or as Via says.
func (t Target) At(addr string) string {
	if via, ok := t.Via[addr]; ok {
		return via
	}
	return addr
}

// String returns the URL with the password replaced by xxxxx, and those of URLs among the
// options.
func (t Target) String() string { return t.text("xxxxx", Redact) }

// URL returns the URL with its secrets: only for another process of this program.
func (t Target) URL() string {
	return t.text(strings.ReplaceAll(url.QueryEscape(t.Password), "+", "%20"), func(text string) string { return text })
}

// text writes the URL with that password, and its options as redact leaves them.
func (t Target) text(password string, redact func(string) string) string {
	var b strings.Builder
	b.WriteString(t.Scheme + ":" + redact(t.Command))
	if t.hasUser || len(t.Hosts) > 0 || t.hasPath {
		b.WriteString("//")
	}
	if t.hasUser {
		b.WriteString(url.PathEscape(t.User))
		if t.hasPassword {
			b.WriteString(":" + password)
		}
		b.WriteString("@")
	}
	b.WriteString(strings.Join(t.Hosts, ","))
	if t.hasPath {
		b.WriteString("/" + url.PathEscape(t.Path))
	}
	if len(t.Query) > 0 {
		if t.Command != "" {
			b.WriteString(" ")
		}
		b.WriteString("?" + redact(t.Query.Encode()))
	}
	return b.String()
}

// Local reports whether every host is this machine, by its name or its address.
func (t Target) Local() bool {
	for _, addr := range t.Addrs("0") {
		host, _, _ := net.SplitHostPort(addr)
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}
