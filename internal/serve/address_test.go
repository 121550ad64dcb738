package serve_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestNames(t *testing.T) {
	got, err := serve.Names([]string{"runs/a/seed-0", "runs/b/seed-0", "runs/b/seed-1/"})
	if want := []string{"a/seed-0", "b/seed-0", "b/seed-1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	var bad *invalid.Input
	if _, err := serve.Names([]string{"runs/a", filepath.Join("runs", "..", "runs", "a")}); !errors.As(err, &bad) {
		t.Errorf("a run twice: %v", err)
	}
}

// An address that other machines reach needs a token; one of this machine answers to its own names.
func TestAddresses(t *testing.T) {
	for address, here := range map[string]bool{"127.0.0.1:8080": true, "[::1]:0": true, "localhost:1": true, "127.0.0.2:1": true,
		"0.0.0.0:1": false, ":8080": false, "192.0.2.1:80": false, "example.org:80": false} {
		t.Setenv(serve.TokenVariable, "")
		o, err := serve.Address{Listen: address}.Options()
		if (err == nil) != here || here && len(o.Hosts) < 3 {
			t.Errorf("%s: %v, %v", address, o.Hosts, err)
		}
		t.Setenv(serve.TokenVariable, "secret")
		if o, err := (serve.Address{Listen: address}).Options(); err != nil || o.Token != "secret" || (o.Hosts != nil) != here {
			t.Errorf("%s with a token: %+v, %v", address, o, err)
		}
	}
	if _, err := (serve.Address{Listen: "8080"}).Options(); err == nil {
		t.Error("an address without a colon is taken")
	}
}

// The message about a port in use says so in words, without those of the system.
func TestTakenPort(t *testing.T) {
	l, err := serve.Address{Listen: "127.0.0.1:0"}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	_, err = serve.Address{Listen: taken}.Open()
	if want := "--listen: found " + taken + ", where another program listens, expected a free address"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A token is one line: a secret that a shell or a file of a cluster wrote ends with a newline, which no header can
// have. A file with the token counts before the variable.
func TestTokens(t *testing.T) {
	for value, want := range map[string]string{"secret\n": "secret", " secret ": "secret", "\n": ""} {
		t.Setenv(serve.TokenVariable, value)
		if o, err := (serve.Address{Listen: "127.0.0.1:0"}).Options(); err != nil || o.Token != want {
			t.Errorf("%q: token %q, %v, want %q", value, o.Token, err, want)
		}
	}
	t.Setenv(serve.TokenVariable, "variable")
	file := filepath.Join(t.TempDir(), "token")
	for content, want := range map[string]string{"secret\n": "secret", " a b ": "a b", "": "", "\n": "", "one\ntwo\n": ""} {
		must.Do(t, os.WriteFile(file, []byte(content), 0o600))
		o, err := serve.Address{Listen: ":8080", TokenFile: file}.Options()
		var bad *invalid.Input
		if o.Token != want || (want == "") != errors.As(err, &bad) {
			t.Errorf("%q: token %q, %v, want %q", content, o.Token, err, want)
		}
	}
	if _, err := (serve.Address{Listen: ":8080", TokenFile: file + "none"}).Options(); err == nil {
		t.Error("a token file that is not there is taken")
	}
}
