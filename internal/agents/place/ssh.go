package place

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
)

// SSH starts an agent on a host where the program was installed. Forward is the port of the control
// server on this machine, which the agent reaches through ssh; 0: the agent reaches it by itself.
func SSH(p *ssh.Program, host string, forward int, j wire.Join) (*Process, error) {
	var options []string
	if forward != 0 {
		options = []string{"-o", "ExitOnForwardFailure=yes", "-R", fmt.Sprintf("127.0.0.1:%d:127.0.0.1:%[1]d", forward)}
	}
	return start(j, p.Words(host, "agent --join -", options...)...)
}
