package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/predict"
)

// answerFlags are the flags that ask for values of a prediction, one for each of [predict.Values] that has a flag.
type answerFlags []*answerFlag

// An answerFlag is the flag of a value, which sets what the value takes.
type answerFlag struct {
	predict.Value
	on    bool
	along string // A:B:N
	count int
}

func (f *answerFlags) addFlags(cmd *cobra.Command) {
	for _, v := range predict.Values {
		if v.Flag == "" {
			continue
		}
		flag, flags, help := &answerFlag{Value: v}, cmd.Flags(), "add "+v.Doc
		switch *f = append(*f, flag); v.Takes {
		case predict.Switch:
			flags.BoolVar(&flag.on, v.Flag, false, help)
		case predict.Range:
			flags.StringVar(&flag.along, v.Flag, "", help+", N from `A:B:N` (--"+v.Flag+"=-2:2:101)")
		case predict.Count:
			flags.IntVar(&flag.count, v.Flag, 0, help)
		default:
			if v.Usual != nil {
				help += "; '' adds none"
			}
			flags.Float64SliceVar(&flag.At, v.Flag, v.Usual, help)
			added := flags.Lookup(v.Flag)
			added.DefValue = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v.Usual)), ","), "[]") // pflag would print 0.900000
			if v.Usual != nil {
				added.Value = emptiable{added.Value}
			}
		}
	}
}

// check returns an *invalid.Input for parameters that a value does not take. It reads those of a Range.
func (f answerFlags) check() (err error) {
	for _, v := range f {
		switch flag := "--" + v.Flag; v.Takes {
		case predict.Levels:
			err = checkProbabilities(flag, v.At)
		case predict.Outcomes:
			err = checkFinite(flag, v.At)
		case predict.Count:
			err = checkRange(flag, v.count, 0, predict.MaxDraws)
		case predict.Range:
			if v.along != "" {
				v.At, err = predict.ParseDensity(v.Flag, v.along)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted returns what the flags ask for.
func (f answerFlags) wanted() (all []predict.Value) {
	for _, v := range f {
		switch {
		case v.count > 0:
			all = append(all, predict.WantDraws(v.count))
		case v.on || v.At != nil:
			all = append(all, v.Value)
		}
	}
	return all
}

// of returns the flag of a name.
func (f answerFlags) of(name string) *answerFlag {
	for _, v := range f {
		if v.Flag == name {
			return v
		}
	}
	panic("no value has a flag " + name)
}
