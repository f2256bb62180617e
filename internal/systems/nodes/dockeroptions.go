package nodes

import (
	"slices"
	"strings"
)

// nameIn returns the name that docker run gives its container; "" if none. args are those
// behind run: only what stands before the image is docker's own.
func nameIn(args []string) (name string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		option, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		if !given && takesValue(option) && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if option == "--name" {
			name = value
		}
	}
	return name
}

// switches are the options of docker run and podman run that take no value, unless it follows
// a = sign.
func switches() []string {
	return []string{
		"--detach", "--disable-content-trust", "--env-host", "--help", "--http-proxy", "--init", "--interactive", "--no-healthcheck",
		"--no-hostname", "--no-hosts", "--oom-kill-disable", "--passwd", "--privileged", "--publish-all", "--quiet", "--read-only",
		"--read-only-tmpfs", "--replace", "--rm", "--rmi", "--rootfs", "--sig-proxy", "--tls-verify", "--tty", "--use-api-socket",
	}
}

// shortSwitches are those of one letter.
const shortSwitches = "Pdiqt"

// takesValue tells whether the word behind an option is its value. Of letters behind one dash
// the first that is no switch has the rest as its value, as in -p4222:4222, or the next word.
func takesValue(option string) bool {
	if strings.HasPrefix(option, "--") {
		return !slices.Contains(switches(), option)
	}
	first := strings.IndexFunc(option, func(letter rune) bool { return !strings.ContainsRune("-"+shortSwitches, letter) })
	return first == len(option)-1
}
