package target

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Client returns module@version of a client library as it was built in. A test
// binary does not know its modules: there it is the version that the library
// tells by itself, or the module alone if that is "".
func Client(module, told string) string {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				version = dep.Version
			}
		}
	}
	if told != "" && !strings.HasPrefix(told, "v") {
		told = "v" + told
	}
	return strings.TrimSuffix(module+"@"+cmp.Or(version, told), "@")
}
