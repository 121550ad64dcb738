package datasets

// trainingPart returns fraction·n, rounded down. The small term makes up for rounding errors:
// 0.29·100 is 28.999….
func trainingPart(fraction float64, n int) int { return int(fraction*float64(n) + 1e-9) }
