package config

// Limits that no sensible run comes near. They keep the numbers of a batch inside their part of a
// random stream, and arithmetic on sizes inside an int. Package datasets relies on them and does
// not check them again. What the machine at hand can hold is counted later, by package memory.
const (
	// MaxPoints is the most points of a function, of a synthetic benchmark or of a CSV file. A
	// synthetic function has 4·65536 words of a random stream: parameters, positions, and two words
	// for each point (a normal number).
	MaxPoints = 1 << 16
	// MaxFunctions is the most functions of a batch. A step has 2³⁴ words of a random stream, a
	// function 2¹⁸ of them.
	MaxFunctions = 1 << 16
	// MaxNumbers is the most numbers of x and y together in a batch, B·N·(dx+dy): 512 MiB in
	// float32.
	MaxNumbers = 1 << 27
	// MaxRows is the most rows of a batch, B·N·N_τ, for BNP B·N·k.
	MaxRows = 1 << 30
	// MaxCSVPoints is how many points of a function a training batch of csv has at most without
	// data.points.
	MaxCSVPoints = 200

	maxLevels  = 1000000       // N_τ, and BNP's bootstraps k
	maxContext = 1000000       // N_c of speed-flow; that of csv is below data.points
	maxCount   = 1000000000000 // steps, images, partitions
	maxWidth   = 65536         // of a layer
	maxLayers  = 64            // of one MLP
	maxWeights = 1 << 28       // of a model: 1 GiB in float32, again for each moment of Adam
	maxColumns = 256           // of x, and of y
	maxReal    = 1e6           // magnitude of the data's constants
	minReal    = 1e-6
)
