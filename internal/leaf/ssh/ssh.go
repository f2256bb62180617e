// Package ssh runs this program on other machines, over the system's own ssh with its
// configuration, agents, jump hosts and known hosts.
package ssh

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A Program is what runs on other machines. It is copied to a machine if it is not there yet, by its
// checksum. It is safe for concurrent use.
type Program struct {
	command []string // such as ssh; further words are options
	binary  string   // the file that is copied
	sum     string   // its SHA-256
	own     bool     // it is this very program

	there sync.Map // the hosts where it was found or copied
}

// Command returns the words of the command that the variable BROKERBENCH_SSH has; "" is ssh.
func Command(variable string) []string {
	if words := strings.Fields(variable); len(words) > 0 {
		return words
	}
	return []string{"ssh"}
}

// New reads the program that it copies: a brokerbench for the hosts, or "" for this very program. The
// command is that of ssh, with options of the user's.
func New(command []string, binary string) (p *Program, err error) {
	p = &Program{command: command, binary: binary, own: binary == ""}
	if p.own {
		if p.binary, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("finding this program, to copy it: %w", err)
		}
	}
	file, err := os.Open(p.binary)
	if err != nil {
		return nil, fmt.Errorf("reading the program, to copy it: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return nil, fmt.Errorf("reading the program, to copy it: %w", err)
	}
	p.sum = hex.EncodeToString(h.Sum(nil))
	return p, nil
}

// options apply to every connection: ssh must not prompt for a password, and it must detect a
// dead connection.
var options = []string{"-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}

// folder is where the program is on the other machine; %s is its checksum.
const folder = `d="$HOME/.cache/brokerbench/%s"`

// ask says what machine it is, and whether the program is there.
const ask = folder + `
uname -sm
sum() { (sha256sum "$1" 2>/dev/null || shasum -a 256 "$1" 2>/dev/null) | cut -d " " -f 1; }
if [ "$(sum "$d/brokerbench")" = %[1]s ]; then echo there; else echo missing; fi`

// receive writes the program that comes by standard input, whole or not at all.
const receive = "set -e\n" + folder + `
mkdir -p "$d"
chmod 700 "$d"
t=$(mktemp "$d/.XXXXXX")
trap 'rm -f "$t"' EXIT
gzip -dc >"$t"
sum() { (sha256sum "$1" 2>/dev/null || shasum -a 256 "$1") | cut -d " " -f 1; }
[ "$(sum "$t")" = %[1]s ] || { echo "the copy is not what was sent" >&2; exit 1; }
chmod 700 "$t"
mv "$t" "$d/brokerbench"`

// Install copies the program to a host, ssh://[USER@]HOST[:PORT], unless it is there.
func (p *Program) Install(ctx context.Context, host string) error {
	if _, ok := p.there.Load(host); ok {
		return nil
	}
	err := p.install(ctx, host)
	if err == nil {
		p.there.Store(host, true)
	}
	return err
}

func (p *Program) install(ctx context.Context, host string) error {
	said, err := p.remote(ctx, host, nil, fmt.Sprintf(ask, p.sum))
	if err != nil {
		return err
	}
	system, there, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if name, machine := platform(system); p.own && (name != runtime.GOOS || machine != runtime.GOARCH) {
		return fmt.Errorf("%s is %s, and this program is for %s/%s: name one for it with --agents-binary PATH, such as of `GOOS=%s GOARCH=%s go build ./cmd/brokerbench` of the same version",
			host, system, runtime.GOOS, runtime.GOARCH, name, machine)
	}
	if strings.TrimSpace(there) == "there" {
		return nil
	}
	file, err := os.Open(p.binary)
	if err != nil {
		return fmt.Errorf("reading the program, to copy it: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	packed, write := io.Pipe()
	go func() {
		zipped, err := gzip.NewWriterLevel(write, gzip.BestSpeed) // a core is slower than a network
		if err == nil {
			_, err = io.Copy(zipped, file)
		}
		if err == nil {
			err = zipped.Close()
		}
		write.CloseWithError(err)
	}()
	_, err = p.remote(ctx, host, packed, fmt.Sprintf(receive, p.sum))
	_ = packed.Close() // the writer ends
	return err
}

// platform returns the GOOS and GOARCH of a system that uname -sm names.
func platform(system string) (name, machine string) {
	name, machine, _ = strings.Cut(strings.ToLower(system), " ")
	switch machine {
	case "x86_64":
		machine = "amd64"
	case "aarch64":
		machine = "arm64"
	}
	return name, machine
}

// sshFailed is the exit code of an ssh that did not reach a host.
const sshFailed = 255

// remote runs a shell script on a host, and returns what it prints.
func (p *Program) remote(ctx context.Context, host string, in io.Reader, script string) (string, error) {
	words := slices.Concat(p.command, options, []string{host, script})
	c := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user's own ssh
	var out, said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = in, &out, &said
	process.OwnGroup(c)
	if err := c.Run(); err != nil {
		why := strings.Join(process.LastLines(said.String(), 2), "; ")
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == sshFailed {
			why += fmt.Sprintf(" (this must work: %s -o BatchMode=yes %s true)", strings.Join(p.command, " "), host)
		}
		return "", fmt.Errorf("%s: %w: %s", host, err, why)
	}
	return out.String(), nil
}

// Words returns the command that becomes the program on a host where it was installed, with such
// arguments, which a shell there reads. It begins with options for ssh besides the usual ones.
func (p *Program) Words(host, args string, more ...string) []string {
	return slices.Concat(p.command, options, more, []string{host, fmt.Sprintf(folder+"\nexec \"$d/brokerbench\" "+args, p.sum)})
}
