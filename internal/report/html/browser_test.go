package html_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/brokerbench/brokerbench/results"
)

// A tab is a page in a headless Chromium that has no network.
type tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp keeps the browser in it

	mu         sync.Mutex
	complaints []string // console errors, exceptions, violations of the policy, requests
}

// chromium returns where the browser is. Without one the test is skipped, loudly,
// or fails if BROKERBENCH_REQUIRE_BROWSER is 1.
func chromium(t *testing.T) string {
	t.Helper()
	if underRace {
		t.Skip("in a browser: without the race detector, which would take minutes")
	}
	for _, name := range []string{os.Getenv("BROKERBENCH_BROWSER"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "*** NO CHROMIUM: THE REPORT WAS NOT TESTED IN A BROWSER *** (deploy/local/chromium installs it, as root)"
	if os.Getenv("BROKERBENCH_REQUIRE_BROWSER") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// shared is the browser of all tests: each has a tab of its own.
var shared struct {
	once  sync.Once
	ctx   context.Context //nolint:containedctx // chromedp keeps the browser in it
	close func() error
	err   error
}

// TestMain ends the browser, and removes what it left.
func TestMain(m *testing.M) {
	m.Run()
	if shared.close == nil {
		return
	}
	if err := shared.close(); err != nil {
		panic(fmt.Errorf("ending the browser: %w", err))
	}
}

// startBrowser starts the browser in a temporary folder of its own, with a short name: it
// puts sockets there.
func startBrowser(path string) {
	dir, err := os.MkdirTemp("", "page-")
	if err != nil {
		shared.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.Env("TMPDIR="+dir), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("proxy-server", "127.0.0.1:9"), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.Flag("hide-scrollbars", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	shared.ctx, shared.err = ctx, chromedp.Do(ctx)
	shared.close = func() error {
		err := chromedp.Cancel(ctx)
		stop()
		return errors.Join(err, removeAll(dir))
	}
}

// removeAll removes a folder in which the last children of a browser may still write.
func removeAll(dir string) (err error) {
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// open opens a file in a new tab and waits until the page has drawn everything.
func open(t *testing.T, path, scheme string, width, height int64) *tab {
	t.Helper()
	browser := chromium(t)
	shared.once.Do(func() { startBrowser(browser) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	ctx, closeTab := chromedp.NewContext(shared.ctx)
	t.Cleanup(closeTab)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, cdplog.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: countUnpacking})
	b.do(chromedp.Navigate("file://"+path), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(b.quiet)
	return b
}

// The page unpacks cells and charts before it shows them, and waits for nothing else.
// countUnpacking knows those under way; settled waits until there is none, and the charts
// have their size.
const (
	countUnpacking = `globalThis.unpacking = new Set(); const unpack = Response.prototype.arrayBuffer;
		Response.prototype.arrayBuffer = function () {
			const promise = unpack.call(this); unpacking.add(promise); return promise.finally(() => unpacking.delete(promise)); }`
	settled = `while (unpacking.size > 0) await Promise.allSettled(unpacking);
		await new Promise((r) => requestAnimationFrame(() => setTimeout(r)))`
)

// show writes the report of some runs and opens it on a screen of a usual size.
func show(t *testing.T, scheme string, stores ...*results.Store) *tab {
	t.Helper()
	path, _ := write(t, stores...)
	return open(t, path, scheme, 1360, 900)
}

// listen collects what a page of ours never does.
func (b *tab) listen(event any) {
	complain := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		complain("console.%s: %s", e.Type, e.Args[0].Value)
	case *runtime.EventExceptionThrown:
		complain("exception: %s", e.ExceptionDetails.Exception.Description)
	case *cdplog.EventEntryAdded:
		complain("%s: %s", e.Entry.Source, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if scheme, _, _ := strings.Cut(e.Request.URL, ":"); scheme != "file" && scheme != "blob" && scheme != "data" {
			complain("asked for %s", e.Request.URL)
		}
	}
}

// quiet wants that nothing was complained of.
func (b *tab) quiet() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complaints {
		b.t.Error(complaint)
	}
}

// do acts, and gives up after half a minute.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.quiet()
		b.t.Fatal(err)
	}
}

// call sends a command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) (result R) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) (err error) {
		result, err = cdp.Call(ctx, target, command, params)
		return err
	}))
	return result
}

// eval evaluates an expression, or waits for a promise, and decodes what it is.
func (b *tab) eval(expression string, into any) {
	b.t.Helper()
	var text string
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) (err error) {
		whole := "Promise.resolve(" + expression + ").then((v) => JSON.stringify(v ?? null))"
		text, err = chromedp.Evaluate[string](whole, chromedp.EvalAwaitPromise)(ctx, target)
		return err
	}))
	if err := json.Unmarshal([]byte(text), into); err != nil {
		b.t.Fatalf("%s is %s: %v", expression, text, err)
	}
}

// run runs statements in the page.
func (b *tab) run(statements string) {
	b.t.Helper()
	var nothing any
	b.eval("(async () => {"+statements+"; return null})()", &nothing)
}

// settle runs statements in the page, and waits until it has drawn what follows.
func (b *tab) settle(statements string) {
	b.t.Helper()
	b.run(statements + "; " + settled)
}

// screenshot keeps a picture of the whole page in .screenshots, for people.
func (b *tab) screenshot(name string) {
	b.t.Helper()
	keep(b.t, name, call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)}).Data)
}

// keep keeps a picture in .screenshots.
func keep(t *testing.T, name string, picture []byte) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", ".screenshots")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}

// openCell opens a cell by its place in run.json.
func (b *tab) openCell(number int) {
	b.t.Helper()
	b.settle(fmt.Sprintf(`document.querySelector('tr[data-cell="%d"] .open').click()`, number))
}

// drag drags the mouse over a chart, from one share of its width to another.
func (b *tab) drag(chart string, from, to float64) {
	b.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	selector := fmt.Sprintf("document.querySelector('[data-chart$=%q] .u-over')", chart)
	b.run(selector + ".scrollIntoView({block: 'center'})")
	b.eval(selector+".getBoundingClientRect()", &box)
	x := func(share float64) float64 { return box.X + share*box.Width }
	y := box.Y + box.Height/2
	b.do(
		chromedp.MouseEvent("mouseMoved", x(from), y),
		chromedp.MouseEvent("mousePressed", x(from), y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent("mouseMoved", x((from+to)/2), y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", x(to), y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", x(to), y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
}
