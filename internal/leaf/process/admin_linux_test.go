package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// asksAdmin is set for a copy of this program that only tells what Admin says.
const asksAdmin = "BROKERBENCH_TEST_ADMIN"

// Root may do without mounts, in a container for example, and a user may be root in a user namespace alone.
func TestAdmin(t *testing.T) {
	if os.Getenv(asksAdmin) != "" {
		fmt.Fprintln(os.Stdout, "admin", process.Admin())
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can take a capability away")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range [][]string{{"setpriv", "--bounding-set=-sys_admin"}, {"unshare", "--user", "--map-root-user"}} {
		c := exec.CommandContext(t.Context(), with[0], append(with[1:], program, "-test.run=TestAdmin$")...)
		c.Env = append(os.Environ(), asksAdmin+"=1")
		out, err := c.CombinedOutput()
		if want := "admin false\nPASS\n"; err != nil || string(out) != want {
			t.Errorf("%v: %q, %v", with, out, err)
		}
	}
}
