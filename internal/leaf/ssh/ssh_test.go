//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake writes a command that notes its arguments and its standard input.
func fake(t *testing.T, script string) (command []string, noted func() string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "fake")
	text := "#!/bin/sh\n" + `printf '%s\n' "$@" >>"` + dir + `/noted"` + "\n" + script + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{path}, func() string {
		said, _ := os.ReadFile(filepath.Join(dir, "noted"))
		return string(said)
	}
}

// The error for a machine of another kind names the flag and the command that remedy it.
func TestAMachineOfAnotherKindIsRefused(t *testing.T) {
	for system, want := range map[string]string{"Plan9 mips": "GOOS=plan9 GOARCH=mips go build", "FreeBSD aarch64": "GOOS=freebsd GOARCH=arm64 go build", "OpenBSD x86_64": "GOOS=openbsd GOARCH=amd64 go build"} {
		command, _ := fake(t, "printf '"+system+"\\nmissing\\n'")
		s, err := New(command, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Install(t.Context(), "ssh://h"); err == nil || !strings.Contains(err.Error(), "ssh://h is "+system+", and this program is for") ||
			!strings.Contains(err.Error(), "--agents-binary PATH") || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

// A program for machines of another kind is copied in place of this one.
func TestAProgramForOtherMachinesIsCopied(t *testing.T) {
	command, noted := fake(t, `case "$*" in *uname*) echo Plan9 mips; echo missing;; *) gzip -dc >"$0.in";; esac`)
	binary := filepath.Join(t.TempDir(), "brokerbench-plan9")
	if err := os.WriteFile(binary, []byte("for plan 9"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := New(command, binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(t.Context(), "ssh://h"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(command[0] + ".in"); err != nil || string(text) != "for plan 9" || !strings.Contains(noted(), s.sum) {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := New(command, binary+".none"); err == nil || !strings.Contains(err.Error(), "brokerbench-plan9.none") {
		t.Error(err)
	}
}
