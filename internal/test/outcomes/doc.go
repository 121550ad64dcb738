// Package outcomes tests fits of simulated outcomes against what is known of them: exact predictions of outcomes with a
// bound, of rates and of offsets, and the share of new groups that intervals hold.
package outcomes
