package config

// Limits far above any sensible run. They keep the numbers of a batch inside their part of a random
// stream, and arithmetic on sizes inside an int. Package datasets relies on them and does not check
// them again. Package footprint later compares a run with the memory of the machine.
const (
	// MaxPoints is the largest number of points of a group, synthetic or of your own data. A
	// synthetic group has 4·65536 words of a random stream: parameters, positions, and two words
	// (a normal number) for each point.
	MaxPoints = 1 << 16
	// MaxGroups is the largest number of groups of a batch. A step has 2³⁴ words of a random
	// stream, and a group takes 2¹⁸ of them.
	MaxGroups = 1 << 16
	// MaxNumbers is the largest size of a batch, B·N·(dx+dy) numbers of x and y: 512 MiB in
	// float32.
	MaxNumbers = 1 << 27
	// MaxRows is the largest number of rows of a batch: B·N·N_τ, or B·N·k for BNP.
	MaxRows = 1 << 30
	// MaxCSVPoints is the largest number of points that a training batch of csv takes of a group
	// if data.points is not set.
	MaxCSVPoints = 200
	// MaxCSVContext is the largest context of a training batch of csv if data.context is not set.
	MaxCSVContext = 50

	// LeastRows is the smallest data set of the benchmark groups: there are targets and siblings.
	LeastRows = 32
	// GroupsColumns is dx+dy of the benchmark groups, whatever its data sets have.
	GroupsColumns = 9

	maxLevels  = 1000000       // N_τ, and BNP's bootstraps k
	maxContext = 1000000       // N_c of speed-flow; for csv N_c is below data.points
	maxCount   = 1000000000000 // steps, images, partitions
	maxWidth   = 65536         // of a layer
	maxLayers  = 64            // of one MLP
	maxWeights = 1 << 28       // of a model: 1 GiB in float32, and as much for each of Adam's two moments
	maxColumns = 256           // of x, and of y
	maxReal    = 1e6           // bounds of the constants of synthetic data
	minReal    = 1e-6
)
