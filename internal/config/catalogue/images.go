package catalogue

// images are the benchmarks of image completion. Sizes and checksums come from the checksum lists
// of TensorFlow Datasets; the Frey faces have no checksum.
var images = []Benchmark{
	{
		Name: "mnist", Printed: "MNIST", Kind: Images,
		Description: "handwritten digits, 28×28 pixels",
		Image:       Shape{Height: 28, Width: 28, Channels: 1},
		Files: []File{
			File{
				Name: "train-images-idx3-ubyte.gz", Holds: "training images", Bytes: 9912422,
				SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
			}.from(mnistFolders...),
			File{
				Name: "t10k-images-idx3-ubyte.gz", Holds: "test images", Bytes: 1648877,
				SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
			}.from(mnistFolders...),
		},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {5e-4, 0}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        imagesTable,
		Results: map[string]Result{
			"cnp":   result(1.061, 0.006, 0.938, 0.001),
			"canp":  result(1.350, 0.003, 0.913, 0.006),
			"bnp":   result(1.128, 0.013, 1.061, 0.009),
			"cqnp":  result(2.683, 0.006, 2.609, 0.006),
			"acqnp": result(2.681, 0.011, 2.616, 0.013),
		},
	},
	{
		Name: "fashion-mnist", Printed: "FashionMNIST", Kind: Images,
		Description: "pieces of clothing, 28×28 pixels",
		Image:       Shape{Height: 28, Width: 28, Channels: 1},
		Files: []File{
			File{
				Name: "train-images-idx3-ubyte.gz", Holds: "training images", Bytes: 26421880,
				SHA256: "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
				Other:  "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7", // Debian's dataset-fashion-mnist
			}.from(fashionFolder),
			File{
				Name: "t10k-images-idx3-ubyte.gz", Holds: "test images", Bytes: 4422102,
				SHA256: "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
				Other:  "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa", // without the name in gzip's header
			}.from(fashionFolder),
		},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        imagesTable,
		Results: map[string]Result{
			"cnp":   result(0.963, 0.005, 0.872, 0.004),
			"canp":  result(1.226, 0.007, 0.857, 0.024),
			"bnp":   result(1.039, 0.002, 0.971, 0.001),
			"cqnp":  result(2.012, 0.004, 1.932, 0.002),
			"acqnp": result(2.040, 0.016, 1.954, 0.015),
		},
	},
	{
		Name: "svhn", Printed: "SVHN", Kind: Images,
		Description: "house numbers from street views, 32×32 pixels in colour",
		Image:       Shape{Height: 32, Width: 32, Channels: 3},
		Files: []File{
			File{
				Name: "train_32x32.mat", Holds: "training images", Bytes: 182040794,
				SHA256: "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
			}.from(svhnFolder),
			File{
				Name: "test_32x32.mat", Holds: "test images", Bytes: 64275384,
				SHA256: "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
			}.from(svhnFolder),
		},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        imagesTable,
		Results: map[string]Result{
			"cnp":   result(3.554, 0.014, 3.388, 0.013),
			"canp":  result(4.112, 0.002, 3.715, 0.016),
			"bnp":   result(3.679, 0.008, 3.580, 0.007),
			"cqnp":  result(4.725, 0.033, 4.447, 0.029),
			"acqnp": result(4.959, 0.042, 4.651, 0.034),
		},
	},
	{
		Name: "omniglot", Printed: "Omniglot", Kind: Images,
		Description: "handwritten characters of 50 alphabets, resized to 32×32 pixels; the test has new characters",
		Image:       Shape{Channels: 1}, // height and width are data.resize
		Files: []File{
			File{
				Name: "images_background.zip", Holds: "background images", Bytes: 9464212,
				SHA256: "ad41ab679c8b5d90b271ef46be6987cc81211774a695c29dcc5367b2b26ee640",
			}.from(omniglotFolder),
			File{
				Name: "images_evaluation.zip", Holds: "evaluation images", Bytes: 6462886,
				SHA256: "1f61a8f3366785b057fc117d9228e78a16e3d976c8953b2a10fcc74cf0609cee",
			}.from(omniglotFolder),
		},
		// The filter is the antialiased one that torchvision's Resize uses.
		Settings: map[string]any{"data.resize": 32, "data.filter": "bilinear"},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {5e-4, 0}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 1e-5}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        imagesTable,
		Results: map[string]Result{
			"cnp":   result(0.978, 0.004, 0.874, 0.009),
			"canp":  result(1.366, 0.005, 0.974, 0.004),
			"bnp":   result(0.983, 0.006, 0.950, 0.004),
			"cqnp":  result(2.529, 0.034, 2.471, 0.038),
			"acqnp": result(2.516, 0.009, 2.461, 0.007),
		},
	},
	{
		Name: "freyface", Printed: "FreyFace", Kind: Images,
		Description: "frames of a film of one face, 28×20 pixels",
		Image:       Shape{Height: 28, Width: 20, Channels: 1},
		Files: []File{{
			Name: "frey_rawface.mat", Holds: "frames", Starts: "MATLAB 5.0 MAT-file",
			URLs: []string{"https://cs.nyu.edu/~roweis/data/frey_rawface.mat"},
		}},
		// The source splits the one file. Evaluation takes each test image five times, each time
		// with another context.
		Settings: map[string]any{"data.train_fraction": 0.75, "data.test_copies": 5},
		Rates: map[string]Rate{
			"cnp": {5e-4, 0}, "canp": {5e-4, 1e-5}, "bnp": {5e-4, 0}, "cqnp": {1e-3, 0}, "acqnp": {1e-3, 1e-5},
		},
		AdaptorDepth: 5,
		Table:        imagesTable,
		Results: map[string]Result{
			"cnp":   result(0.970, 0.083, 0.941, 0.088),
			"canp":  result(1.062, 0.053, 1.015, 0.023),
			"bnp":   result(1.073, 0.015, 1.052, 0.014),
			"cqnp":  result(1.433, 0.062, 1.392, 0.061),
			"acqnp": result(1.522, 0.089, 1.475, 0.086),
		},
	},
}

// The folders of the publishers' servers.
var mnistFolders = []string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"}

const (
	fashionFolder  = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
	svhnFolder     = "http://ufldl.stanford.edu/housenumbers/"
	omniglotFolder = "https://github.com/brendenlake/omniglot/raw/master/python/"
)
