package catalogue

// images are the benchmarks of image completion. Sizes and checksums come from the checksum lists
// of TensorFlow Datasets; the Frey faces have no checksum.
var images = []Benchmark{
	{
		Name: "mnist", Printed: "MNIST", Kind: Images, Table: imagesTable,
		Description: "handwritten digits, 28×28 pixels",
		Image:       Shape{Height: 28, Width: 28, Channels: 1},
		Files: []File{
			{Name: "train-images-idx3-ubyte.gz", Holds: "training images", Bytes: 9912422,
				SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
			{Name: "t10k-images-idx3-ubyte.gz", Holds: "test images", Bytes: 1648877,
				SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
		},
		Folders: []string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"},
		Rates:   byModel([]Rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}}),
	},
	{
		Name: "fashion-mnist", Printed: "FashionMNIST", Kind: Images, Table: imagesTable,
		Description: "pieces of clothing, 28×28 pixels",
		Image:       Shape{Height: 28, Width: 28, Channels: 1},
		Files: []File{
			{Name: "train-images-idx3-ubyte.gz", Holds: "training images", Bytes: 26421880,
				SHA256: "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
				Other:  "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7", // Debian's dataset-fashion-mnist
			},
			{Name: "t10k-images-idx3-ubyte.gz", Holds: "test images", Bytes: 4422102,
				SHA256: "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
				Other:  "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa", // without the name in gzip's header
			},
		},
		Folders: []string{"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
		Rates:   byModel([]Rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
	},
	{
		Name: "svhn", Printed: "SVHN", Kind: Images, Table: imagesTable,
		Description: "house numbers from street views, 32×32 pixels in colour",
		Image:       Shape{Height: 32, Width: 32, Channels: 3},
		Files: []File{
			{Name: "train_32x32.mat", Holds: "training images", Bytes: 182040794,
				SHA256: "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8"},
			{Name: "test_32x32.mat", Holds: "test images", Bytes: 64275384,
				SHA256: "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b"},
		},
		Folders: []string{"http://ufldl.stanford.edu/housenumbers/"},
		Rates:   byModel([]Rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
	},
	{
		Name: "omniglot", Printed: "Omniglot", Kind: Images, Table: imagesTable,
		Description: "handwritten characters of 50 alphabets, resized to 32×32 pixels; the test has new characters",
		Image:       Shape{Channels: 1}, // height and width are data.resize
		Files: []File{
			{Name: "images_background.zip", Holds: "background images", Bytes: 9464212,
				SHA256: "ad41ab679c8b5d90b271ef46be6987cc81211774a695c29dcc5367b2b26ee640"},
			{Name: "images_evaluation.zip", Holds: "evaluation images", Bytes: 6462886,
				SHA256: "1f61a8f3366785b057fc117d9228e78a16e3d976c8953b2a10fcc74cf0609cee"},
		},
		Folders: []string{"https://github.com/brendenlake/omniglot/raw/master/python/"},
		// The filter is the antialiased one that torchvision's Resize uses.
		Settings: map[string]any{"data.resize": 32, "data.filter": "bilinear"},
		Rates:    byModel([]Rate{{5e-4, 0}, {5e-4, 0}, {5e-4, 0}, {1e-3, 1e-5}, {1e-3, 1e-5}}),
	},
	{
		Name: "freyface", Printed: "FreyFace", Kind: Images, Table: imagesTable,
		Description: "frames of a film of one face, 28×20 pixels",
		Image:       Shape{Height: 28, Width: 20, Channels: 1},
		Files:       []File{{Name: "frey_rawface.mat", Holds: "frames", Starts: "MATLAB 5.0 MAT-file"}},
		Folders:     []string{"https://cs.nyu.edu/~roweis/data/"},
		// The source splits the one file. Evaluation takes each test image five times, each time
		// with another context.
		Settings: map[string]any{"data.train_fraction": 0.75, "data.test_copies": 5},
		Rates:    byModel([]Rate{{5e-4, 0}, {5e-4, 1e-5}, {5e-4, 0}, {1e-3, 0}, {1e-3, 1e-5}}),
	},
}
