package simd

func useHalves(use bool) { halves = use }
