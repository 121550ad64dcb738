package cli

import "github.com/spf13/cobra"

func newData(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, check and download data sets, and write evaluation tasks",
		Example: `  acqnp data list
  acqnp data check --data-dir data
  acqnp data fetch mnist
  acqnp data generate --config configs/lissajous/acqnp.yaml --out tasks.safetensors --batches 100`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newDataList(a), newDataCheck(a), newDataFetch(a), newDataGenerate(a), newDataExample(a))
	return cmd
}
