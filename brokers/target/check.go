package target

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Between returns an error if an option's value is outside low to high and not among
// special.
func Between[N cmp.Ordered](name string, value, low, high N, special ...N) error {
	if (value < low || value > high) && !slices.Contains(special, value) {
		return fmt.Errorf("option %s: %v is not between %v and %v", name, value, low, high)
	}
	return nil
}

// CheckHTTP returns an error if value, of the option or flag of that name, is no http or
// https URL of a port that the broker is asked on. It does not quote the URL: there may be a
// secret in it. "" is where the port usually is.
func CheckHTTP(name, value string) error {
	u, err := url.Parse(value)
	if value == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(value, "@?#") {
		return nil
	}
	return fmt.Errorf("%s: want http://HOST:PORT or https://HOST:PORT, without user and password", name)
}

// Refuse returns an error with that text if options are wrong.
func Refuse(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// runName matches what every broker takes as a part of a name.
var runName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,200}$`)

// CheckRun returns an error if run cannot be a part of the names of topics,
// queues, channels and subjects.
func CheckRun(run string) error {
	if !runName.MatchString(run) {
		return fmt.Errorf("run %q: want 1 to 200 letters, digits, '_' or '-', as a part of names", run)
	}
	return nil
}

// Name returns what the topic, queue, channel or subject of a connection is called in
// a run. Package leftover knows these names again.
func Name(run string, conn int) string { return fmt.Sprintf("brokerbench.%s.%d", run, conn) }
