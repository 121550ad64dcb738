package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/datasets/fetch"
	"github.com/acqnp/acqnp/internal/progress"
)

type dataFetchOptions struct {
	settings
	mirror string
}

func newDataFetch(a *app) *cobra.Command {
	var o dataFetchOptions
	cmd := &cobra.Command{
		Use:   "fetch BENCHMARK...",
		Short: "Download data sets from their publishers",
		Long: `Download the files of the named benchmarks from their publishers into the data directory. Existing
files stay. The next call continues an interrupted download. A file gets its name only when it is
complete and has the published SHA-256 sum, if there is one.

Without a network, copy the files into the data directory; acqnp data check lists them. A --mirror is
a folder of a web server with the layout of the data directory.`,
		Example: `  acqnp data fetch mnist freyface
  acqnp data fetch svhn --data-dir /srv/data --mirror https://mirror.example.org/acqnp`,
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: fetch.Names(),
		RunE:      a.run(func(cmd *cobra.Command) error { return runDataFetch(cmd.Context(), a, cmd.Flags().Args(), o) }),
	}
	o.addDataDir(cmd)
	cmd.Flags().StringVar(&o.mirror, "mirror", "", "`URL` to download from instead of the publishers")
	return cmd
}

// fetchedFile is a file of the data directory in the result of data fetch.
type fetchedFile struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Fetched bool   `json:"fetched"` // by this call
	Checked bool   `json:"checked"` // against the published sum
}

func runDataFetch(ctx context.Context, a *app, names []string, o dataFetchOptions) error {
	sets, err := fetch.Find(names)
	if err != nil {
		return err
	}
	var all []fetchedFile
	var rows [][]string
	p := a.progress()
	for _, s := range sets {
		p.Note("fetching "+s.Name, progress.Field{Name: "benchmark", Value: s.Name})
		files, err := fetch.Fetch(ctx, s, filepath.Join(o.dataDir, s.Name), fetch.Options{Mirror: o.mirror, Progress: p})
		if err != nil {
			return err
		}
		for _, f := range files {
			all = append(all, fetchedFile{Name: s.Name, Path: f.Path, Bytes: f.Bytes, Fetched: f.Fetched, Checked: f.Checked})
			state, sum := "existing", "no published sum"
			if f.Fetched {
				state = "fetched"
			}
			if f.Checked {
				sum = "SHA-256 matches the published sum"
			}
			rows = append(rows, []string{f.Path, state, fmt.Sprint(f.Bytes, " bytes"), sum})
		}
	}
	return a.table(all, rows)
}
