package onnx

import "fmt"

// bnp builds BNP's path for the bootstraps of the context: [B, N, k, 2·dy].
func (n *network) bnp() decoding {
	plain := n.decodeEncoding(n.encode(n.contextX, n.contextY))
	perPoint := n.add(n.add(plain, n.vector("dec.fc.bias")), n.decodeX(n.x))
	again := n.encode(n.unsqueeze(n.contextX, 1), n.bootstrap())
	bootstrapped := n.transpose(n.matmul(again, n.weight("dec.fc_ctx.weight", 2*n.config.Width)), 0, 2, 1, 3)
	return decoding{out: n.tail(n.add(n.unsqueeze(perPoint, 2), bootstrapped))}
}

// bootstrap returns ỹ [B, k, N_c, dy], the y of a bootstrap at the context's x:
//
//  1. resample the context and encode it;
//  2. decode at the context's x, without fc_ctx, to μ and σ;
//  3. resample the residuals (y−μ)/σ and centre them for each function and bootstrap;
//  4. ỹ = μ + σ·residual.
func (n *network) bootstrap() value {
	again := n.gather(n.concat(-1, n.contextX, n.contextY), 0, 1)
	enc := n.encode(n.columns(again, 0, n.dx), n.columns(again, n.dx, n.dx+n.dy))
	atX := n.unsqueeze(n.add(n.decodeX(n.contextX), n.vector("dec.fc.bias")), 1)
	decoded := n.tail(n.add(atX, n.decodeEncoding(enc)))
	mu, sigma := n.columns(decoded, 0, n.dy), n.scale(n.columns(decoded, n.dy, 2*n.dy))
	residual := n.gather(n.div(n.sub(n.unsqueeze(n.contextY, 1), mu), sigma), 1, 2)
	return n.add(mu, n.mul(sigma, n.sub(residual, n.setMean(residual))))
}

// gather returns the rows of values that resample picks, [B, k, N_c, ·]: by its part 0 for the
// context or 1 for residuals. common is the number of leading axes that values shares with the result.
func (n *network) gather(values value, part, common int) value {
	index := n.squeeze(n.slice(n.resample, 0, part, part+1), 0)
	index = n.unsqueeze(n.transpose(index, 1, 0, 2), 3)
	return n.node("GatherND", with(whole("batch_dims", common)), values, index)
}

// scale returns σ of a decoder's output s, in float32.
func (n *network) scale(s value) value {
	floor := n.config.SigmaFloor
	return n.add(n.scalar(float32(floor)), n.mul(n.scalar(float32(1-floor)), n.op("Softplus", s)))
}

// encode applies both encoders to context points x […, N_c, dx] and y […, N_c, dy]: [enc1, enc2]
// […, 1, 2·width].
func (n *network) encode(x, y value) value {
	enc := make([]value, 2)
	for i := range enc {
		name := fmt.Sprintf("enc%d", i+1)
		h := n.first(name+".net_pre.0", n.config.PreDepth > 1, block{x, n.dx}, block{y, n.dy})
		h = n.layers(name+".net_pre.%d", 1, n.config.PreDepth, h)
		enc[i] = n.layers(name+".net_post.%d", 0, n.config.PostDepth, n.setMean(h))
	}
	return n.concat(-1, enc...)
}

// layers applies layers first to depth−1 of a Sequential with a ReLU between each two.
func (n *network) layers(name string, first, depth int, h value) value {
	for i := first; i < depth; i++ {
		h = n.affine(fmt.Sprintf(name, 2*i), h, n.config.Width, i < depth-1)
	}
	return h
}

// tail applies the decoder's layers after the first, whose ReLU comes before them.
func (n *network) tail(h value) value {
	h = n.op("Relu", h)
	for i := range n.config.DecoderDepth - 1 {
		h = n.affine(fmt.Sprintf("dec.mlp.%d", 1+2*i), h, n.config.Width, i < n.config.DecoderDepth-2)
	}
	return h
}

// decodeEncoding applies the part for [enc1, enc2] of the decoder's first layer.
func (n *network) decodeEncoding(enc value) value { return n.matmul(enc, n.decoderWeights()[0]) }

// decodeX applies the part for x of the decoder's first layer.
func (n *network) decodeX(x value) value { return n.matmul(x, n.decoderWeights()[1]) }

func (n *network) decoderWeights() []value {
	return n.blocks("dec.fc.weight", 2*n.config.Width, n.dx)
}
