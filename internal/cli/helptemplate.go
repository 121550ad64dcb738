package cli

import "github.com/spf13/cobra"

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
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} [command] --help" explains a command.{{end}}
`
)

// Commands are listed in the order in which they are added.
func init() { cobra.EnableCommandSorting = false }

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
