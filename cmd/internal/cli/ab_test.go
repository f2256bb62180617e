package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/results"
)

// byTurns runs `ab` on loopback with short windows, and returns the folder of results.
func byTurns(t *testing.T, args ...string) (code int, out, stdout, stderr string) {
	t.Helper()
	out = t.TempDir()
	code, stdout, stderr = invoke(shortTurns(out, args...)...)
	return code, out, stdout, stderr
}

// shortTurns returns the arguments of `ab` with short windows.
func shortTurns(out string, args ...string) []string {
	return append([]string{"ab", "--out", out, "--rate", "200", "--size", "64B", "--duration", "300ms", "--warmup", "0s", "--percentiles", "50"}, args...)
}

// calm waits before another attempt: what keeps a machine busy may do so for a while.
func calm(attempt int) { time.Sleep(time.Duration(attempt) * 2 * time.Second) }

func TestAB(t *testing.T) {
	var code int
	var out, stdout, stderr, compared string
	var r ab.Result
	for i := range 5 { // one window that a busy machine has spoiled hides the difference
		calm(i)
		code, out, stdout, stderr = byTurns(t, "--side", "loopback:?delay=1ms", "--side", "loopback:?delay=20ms", "--pairs", "4", "--format", "json")
		r = decode[ab.Result](t, stdout)
		if code == command.ExitGood {
			_, compared, _ = invoke("compare", r.A.Dir, r.B.Dir)
		}
		if code == command.ExitGood && r.Cells[0].Rows[0].Answer == ab.Slower && strings.Contains(compared, "slower") || code != command.ExitGood && code != command.ExitInvalid {
			break
		}
	}
	wantCode(t, code, command.ExitGood, stderr, "4 pairs: about 2s", "[pair 4] loopback, 64 B at 200/s")
	wantTexts(t, compared, "4 runs against 4", "slower")
	if len(r.Cells) != 1 || r.Cells[0].Pairs != 4 || r.Cells[0].Rows[0].Answer != ab.Slower || r.A.Run != "loopback:?delay=1ms" {
		t.Fatalf("%+v", r)
	}
	a, b := open(t, r.A.Dir), open(t, r.B.Dir)
	for i, order := range r.Cells[0].Orders {
		first, second := a.Trials[i].Cell, b.Trials[i].Cell
		if order == ab.BFirst {
			first, second = second, first
		}
		if !second.Started.After(first.Started) || i+1 < 4 && !a.Trials[i+1].Cell.Started.After(second.Started) {
			t.Errorf("pair %d was not measured as %s", i+1, order)
		}
	}
	if a.Run.Name != "ab-a" || b.Run.Name != "ab-b" || a.Trials[0].Cell.Floor != nil {
		t.Errorf("%+v and %+v", a.Run, b.Run)
	}
	for _, dir := range []string{r.A.Dir, r.B.Dir} {
		text, err := os.ReadFile(filepath.Join(dir, command.AbFile))
		if err != nil || !reflect.DeepEqual(decode[ab.Result](t, string(text)), r) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.A.Dir, analysis.ReportFile)); err != nil {
		t.Error(err)
	}
	if dirs, _ := filepath.Glob(filepath.Join(out, "*")); len(results.WithoutLatest(dirs)) != 2 {
		t.Errorf("%v", dirs)
	}
}

func open(t *testing.T, dir string) *compare.Set {
	t.Helper()
	s, err := compare.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The i-th cells are pairs, whatever their shape. Flags of a side go over those of ab.
func TestABOfShapes(t *testing.T) {
	t.Parallel()
	code, _, stdout, stderr := byTurns(t, "--side", "loopback: --connections 1,2", "--side", "loopback: --connections 4,8 --rate 400", "--pairs", "2", "--format", "csv", "-q")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "loopback-200-64B-c1-fopen,loopback-400-64B-c4-fopen", "loopback-200-64B-c2-fopen,loopback-400-64B-c8-fopen")
}

// It goes on until the time is over, and says that the intervals are not narrow.
func TestABUntilTheTimeIsOver(t *testing.T) {
	var code int
	var stdout, stderr string
	var r ab.Result
	for range 5 { // a busy machine may take all the time for the first pairs
		code, _, stdout, stderr = byTurns(t, "--side", "loopback:?delay=1ms", "--side", "loopback:?delay=1ms", "--pairs", "2", "--until", "±0.2%", "--at-most", "2500ms", "--format", "json")
		if r = decode[ab.Result](t, stdout); code != command.ExitInvalid || len(r.Cells) == 1 && r.Cells[0].Pairs >= 3 && r.TookNS <= int64(8*time.Second) {
			break
		}
	}
	wantCode(t, code, command.ExitInvalid, stderr, "then more until every interval is within ±0.2 %, for at most 2.5s", "±0.2 % takes")
	if *r.Until != 0.002 || r.Narrow || len(r.Cells) != 1 || r.Cells[0].Pairs < 3 || r.TookNS > int64(8*time.Second) {
		t.Errorf("%+v", r)
	}
}

// It ends when the intervals are narrow.
func TestABUntilNarrow(t *testing.T) {
	var code int
	var stdout, stderr string
	var r ab.Result
	for i := range 5 { // a window that a busy machine has spoiled makes the intervals wide
		calm(i)
		code, _, stdout, stderr = byTurns(t, "--side", "loopback:?delay=30ms", "--side", "loopback:?delay=30ms", "--pairs", "2", "--until", "50%", "--at-most", "20s", "--format", "json", "-q")
		if r = decode[ab.Result](t, stdout); code == command.ExitGood && r.Cells[0].Pairs <= 20 || code != command.ExitGood && code != command.ExitInvalid {
			break
		}
	}
	if wantCode(t, code, command.ExitGood, stderr); !r.Narrow || len(r.Cells) != 1 || r.Cells[0].Pairs > 20 {
		t.Errorf("%+v", r)
	}
}

func TestABKeepsWhatWasMeasured(t *testing.T) {
	interrupt := func() { sendSelf(t, syscall.SIGINT) }
	code, stdout, stderr := commandHeard("[pair 1]", interrupt, shortTurns(t.TempDir(), "--side", "loopback:", "--side", "loopback:", "--pairs", "1000")...)
	wantCode(t, code, command.ExitInterrupted, stderr)
	wantTexts(t, stdout, "pair", "B/A")
}

func TestABOfATargetThatIsAway(t *testing.T) {
	t.Parallel()
	code, out, stdout, stderr := byTurns(t, "--side", "loopback:", "--side", "'nats://user:geheim@127.0.0.1:1' --connections 2", "-q")
	wantCode(t, code, command.ExitError, stderr, "refused")
	wantTexts(t, stdout, "nothing can be judged")
	if strings.Contains(stdout+stderr+readAll(t, out), "geheim") {
		t.Error("the password is said, or written")
	}
}

func TestShellWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		" a  b ":                          {"a", "b"},
		`'a b' "c d" e\ f`:                {"a b", "c d", "e f"},
		`a'b'"c"`:                         {"abc"},
		`'' x`:                            {"", "x"},
		`"a'b" 'c"d'`:                     {"a'b", `c"d`},
		`'a\b' "a\"b"`:                    {`a\b`, `a"b`},
		"kafka://h:1,i:2?acks=1&linger=5": {"kafka://h:1,i:2?acks=1&linger=5"},
	} {
		if got, err := shellWords(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`'a`, `"a`, `a\`} {
		if got, err := shellWords(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Words that are quoted are read back.
func FuzzShellWords(f *testing.F) {
	f.Add("a b", "it's")
	f.Add("", `\`)
	f.Fuzz(func(t *testing.T, a, b string) {
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		got, err := shellWords(" " + quote(a) + "\t" + quote(b) + "\n")
		if err != nil || !reflect.DeepEqual(got, []string{a, b}) {
			t.Errorf("%q and %q: %q, %v", a, b, got, err)
		}
	})
}
