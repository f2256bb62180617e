package histogram

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tools with which our files must be interchangeable.
const (
	javaVersion   = "2.2.2"
	pythonVersion = "0.10.8"
)

// cache returns a folder that outlives the test, for downloads.
func cache(t *testing.T, name string) string {
	t.Helper()
	base, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no folder to keep the real tools in: %v", err)
	}
	folder := filepath.Join(base, "brokerbench", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Skipf("no folder to keep the real tools in: %v", err)
	}
	return folder
}

// needs skips the test if a command does not exist.
func needs(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		t.Skipf("no %s on this machine: the real HdrHistogram tools are not tested", command)
	}
}

// javaTools returns the jar of Java's HdrHistogram, from Maven Central.
func javaTools(t *testing.T) string {
	t.Helper()
	needs(t, "java")
	folder := cache(t, "java")
	jar := filepath.Join(folder, "HdrHistogram-"+javaVersion+".jar")
	if _, err := os.Stat(jar); err == nil {
		return jar
	}
	needs(t, "mvn")
	partial, err := os.MkdirTemp(folder, "partial")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(partial)
	cmd := exec.Command("mvn", "-q", "-B", "dependency:copy",
		"-Dartifact=org.hdrhistogram:HdrHistogram:"+javaVersion, "-DoutputDirectory="+partial)
	cmd.Dir = partial
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("Maven Central does not give HdrHistogram %s: %v\n%s", javaVersion, err, out)
	}
	if err := os.Rename(filepath.Join(partial, filepath.Base(jar)), jar); err != nil {
		t.Fatal(err)
	}
	return jar
}

// pythonTools returns a Python that has hdrhistogram from PyPI.
func pythonTools(t *testing.T) string {
	t.Helper()
	needs(t, "python3")
	folder := filepath.Join(cache(t, "python"), "hdrhistogram-"+pythonVersion)
	python := filepath.Join(folder, "bin", "python")
	if exec.Command(python, "-c", "import hdrh").Run() == nil {
		return python
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", folder},
		{python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "hdrhistogram==" + pythonVersion},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no Python hdrhistogram %s: %v: %v\n%s", pythonVersion, args, err, out)
		}
	}
	return python
}
