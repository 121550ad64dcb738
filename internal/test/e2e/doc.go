// Package e2e tests the program as a person uses it: whole commands on the configurations that ship, on data in the
// publishers' formats and, where they are at hand, on the real data. The package is tests alone.
package e2e
