package target

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Client returns module@version of a client library as it was built in. A test
// binary does not know its modules: there it is the version that the library itself
// reports, or the module alone if that is "".
func Client(module, reported string) string {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				version = dep.Version
			}
		}
	}
	if reported != "" && !strings.HasPrefix(reported, "v") {
		reported = "v" + reported
	}
	return strings.TrimSuffix(module+"@"+cmp.Or(version, reported), "@")
}
