"""The names, shapes and fan-ins of every model's weights."""
from package import encoders, method
import groups
import transformer


def shapes(model, dx, dy):
    """Yields (name, shape, fan_in) of every weight."""
    def affine(prefix, fan_in, fan_out):
        yield f"{prefix}.weight", (fan_out, fan_in), fan_in
        yield f"{prefix}.bias", (fan_out,), fan_in

    def net(prefix, sizes, first=0):
        for i, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
            yield from affine(f"{prefix}.{first + 2 * i}", fan_in, fan_out)

    if model["name"] == "bnp":
        w, pre, post, dec = (model[k] for k in ("width", "pre_depth", "post_depth", "decoder_depth"))
        for enc in ("enc1", "enc2"):
            yield from net(f"{enc}.net_pre", [dx + dy] + [w] * pre)
            yield from net(f"{enc}.net_post", [w] * (post + 1))
        yield from affine("dec.fc", 2 * w + dx, w)
        yield "dec.fc_ctx.weight", (w, 2 * w), 2 * w
        yield from net("dec.mlp", [w] * (dec - 1) + [2 * dy], first=1)
        return

    d, levels, kind = model["representation"], method.has_levels(model) + method.residual(model), encoders.aggregation(model)
    if kind in ("transformer", "groups"):
        yield from net(encoders.EMBEDDER, [dx + dy + 1, *model["encoder"], d])
        yield from (groups if kind == "groups" else transformer).shapes(model)
    else:
        yield from net("_encoder._mlp._net", [dx + dy, *model["encoder"], d])
    if model["name"] == "acqnp":
        yield from net("_adaptor._net", [d + dx + 1, *model["adaptor"], 1])
    if kind == "attention":
        yield from attention_shapes(model, dx, net)
    out = method.stated_width(model, dy) if method.parts(model) else (3 if levels else 2) * dy
    yield from net("_decoder._mlp._net", [d + dx + levels, *model["decoder"], out])


def attention_shapes(model, dx, net):
    name, d, heads = "_encoder._attention.", model["representation"], model["heads"]
    yield from net(name + "_query_mlp._net", [dx, *model["query_encoder"], d])
    yield from net(name + "_key_mlp._net", [dx, *model["key_encoder"], d])
    part = d // heads
    for each, shape in (("query", (part, d, 1)), ("key", (part, d, 1)), ("value", (part, d, 1)), ("output", (d, part, 1))):
        for h in range(1 if encoders.shared(model) else heads):
            yield f"{name}_attention._{each}_layers.{h}.weight", shape, shape[1]
