package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of a command: a line about it, examples, explanations, usage and flags. It differs from
// cobra's in the place of the examples, and in that it leaves out former names.
const (
	helpTemplate = `{{.Short}}.
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{with .Long}}
{{. | trimTrailingWhitespaces}}
{{end}}
{{.UsageString}}`

	usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{$commands := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if not .Groups}}

Commands:{{range $commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags | ownFlags}}{{with .LocalFlags | machineFlags}}

{{.}}{{end}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} [command] --help" explains a command.{{end}}
`
)

// Commands are listed in the order in which they are added.
func init() {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("ownFlags", ownFlags)
	cobra.AddTemplateFunc("machineFlags", machineFlags)
}

// ofMachine are the flags that say where data are and what computes. Most commands have them, so one line
// lists them.
var ofMachine = []string{"data-dir", "device", "precision", "threads"}

// listsMachine reports whether a command has several of these flags.
func listsMachine(flags *pflag.FlagSet) bool {
	n := 0
	for _, name := range ofMachine {
		if flags.Lookup(name) != nil {
			n++
		}
	}
	return n > 1
}

// ownFlags returns the lines of the flags, without those that machineFlags lists.
func ownFlags(flags *pflag.FlagSet) string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if !listsMachine(flags) || !slices.Contains(ofMachine, f.Name) {
			own.AddFlag(f)
		}
	})
	return strings.TrimRight(own.FlagUsages(), "\n")
}

// machineFlags returns the line about the flags that say what computes, "" if there is none.
func machineFlags(flags *pflag.FlagSet) string {
	if !listsMachine(flags) {
		return ""
	}
	var names []string
	for _, name := range ofMachine {
		if f := flags.Lookup(name); f != nil {
			value, _ := pflag.UnquoteUsage(f)
			names = append(names, "--"+name+" "+value)
		}
	}
	return "Flags about this machine (see \"acqnp help environment\"):\n      " + strings.Join(names, ", ")
}

// A group is a part of the commands in the help of the program.
type group struct {
	title    string
	commands []*cobra.Command
}

// addGroups adds the groups of commands to the root, in the order in which the help lists them.
func addGroups(root *cobra.Command, groups []group) {
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	last := groups[len(groups)-1].title
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
}
