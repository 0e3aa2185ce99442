"""Small models of transformers' classes, and example inputs, from their names alone."""

import logging
import re

logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)
import torch  # noqa: E402
import transformers  # noqa: E402

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

# Pattern of an attribute of a config -> its value in a small model; the first that fits.
NUMBERS = [(re.compile(pattern), value) for pattern, value in [
    (r".*(layers?_types?|_act|_ratio|_prob|_rate|_eps|_std|_range|_id|_factor|_coef)", None),
    (r"(num_)?(hidden|encoder|decoder)_layers|num_layers|n_layers?|depth"
     r"|num_(encoder|decoder)_layers|num_hidden_layers_\w+", 2),
    (r".*(kv_heads|key_value_heads|num_kv_head|multi_query_group_num)", 2),
    (r".*(attention_heads|num_heads|n_heads?|num_attention_head)", 4),
    (r"(max_\w*position\w*|n_positions|n_ctx|max_seq_len\w*|max_sequence_length"
     r"|seq_length|max_source_positions|max_target_positions|n_positions)", 64),
    (r"(attention_)?head_(dim|size)|d_kv|kv_channels|attention_head_size", 16),
    (r"qk_nope_head_dim|v_head_dim", 16), (r"qk_rope_head_dim|rotary_dim", 8),
    (r".*lora_rank|.*_low_rank_dim|.*lora_dim", 16),
    (r"(n_|num_)?(routed_)?(local_)?experts|moe_num_experts", 4),
    (r"num_experts_per_tok(en)?|moe_k|moe_topk|num_selected_experts|top_k", 2),
    (r"n_groups?|topk_group", 1),
    (r"vocab_size\w*|.*_vocab_size|vocab_size", 101),
    (r"type_vocab_size", 2),
    (r".*(intermediate|ffn|inner|mlp|feed_forward)_?(size|dim)|d_ff|n_inner|d_inner"
     r"|(encoder|decoder)_ffn_dim|ffn_hidden_size|moe_intermediate_size", 112),
    (r"embedding_size|emb_size|word_embed_proj_dim", 64),
    (r"(hidden|d_model|n_embd|model|embed|n_embed|dim|projection)_?(size|dim)?"
     r"|num_hidden_channels|\w*hidden_size|\w*embed_dim|\w*projection_dim|hidden_dim", 64),
    (r"image_size", 32), (r"patch_size", 8), (r"num_mel_bins", 16),
    (r"(sliding|attention)_window(_size)?|local_attention", 7),
    (r"num_labels", 3)]]
LISTS = {"hidden_sizes": [16, 32, 48, 64, 80], "embed_dims": [16, 32, 48, 64, 80],
         "encoder_hidden_sizes": [16, 32, 48, 64], "depths": [1, 2, 1, 1, 1],
         "num_heads": [1, 2, 4, 4, 4], "encoder_depths": [1, 2, 1, 1]}
PARTS = {"text_config", "vision_config", "audio_config", "encoder", "decoder",
         "encoder_config", "decoder_config", "backbone_config", "text_encoder",
         "audio_encoder", "qformer_config", "speech_config", "vision_cfg"}
IMAGE = 32


def value_of(name, now):
    """What a number of a config becomes."""
    if isinstance(now, list) and name in LISTS and all(
            isinstance(item, int) for item in now):
        return LISTS[name][:len(now)]
    if now is not None and (not isinstance(now, int) or isinstance(now, bool)):
        return None
    for pattern, value in NUMBERS:
        if pattern.fullmatch(name):
            return value if now is None or value is None or now > value else None
    return None


def small_config(kind):
    """A config of this class with small numbers; of its parts too."""
    plain = kind()
    chosen = {}
    for name, now in plain.to_dict().items():
        part = getattr(plain, name, None)
        if isinstance(part, transformers.PreTrainedConfig):
            chosen[name] = small_config(type(part))
        elif now is not None and (value := value_of(name, now)) is not None:
            chosen[name] = value
    for name in ("bos_token_id", "eos_token_id", "pad_token_id",
                 "decoder_start_token_id"):
        now = getattr(plain, name, None)
        if isinstance(now, int) and now > 2 or isinstance(now, list):
            chosen[name] = {"b": 1, "e": 2, "p": 0, "d": 1}[name[0]]
    if getattr(plain, "qk_rope_head_dim", None):
        chosen |= {"head_dim": 8, "qk_head_dim": 24}
    return kind(**chosen)


def small_model(name, **changes):
    """A model of this class whose weights, norms and biases are random."""
    made = getattr(transformers, name)
    config = small_config(made.config_class)
    for key, value in changes.items():
        setattr(config, key, value)
    torch.manual_seed(len(name))
    module = made(config).eval().float()
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.numel() > 2**24:
                raise ValueError(f"a parameter of {parameter.numel()} elements")
            parameter.add_(0.15 * torch.randn(parameter.shape))
    return module


def ids(batch, seq, vocab):
    return torch.randint(min(3, vocab - 1), vocab, (batch, seq))


def example_inputs(module, masked):
    """(inputs by name, their dims) of a model, by the name of its main input."""
    config, name = module.config, getattr(module, "main_input_name", "input_ids")
    text = config.get_text_config()
    vision = getattr(config, "vision_config", config)
    size = getattr(vision, "image_size", None) or IMAGE
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    channels = getattr(vision, "num_channels", 3)
    if name == "pixel_values":
        return ({name: torch.randn(2, channels, height, width)},
                {name: ("batch", channels, height, width)})
    if name == "input_features":
        bins = getattr(config, "num_mel_bins", 80)
        frames = 2 * getattr(config, "max_source_positions", 32)
        return {name: torch.randn(2, bins, frames)}, {name: ("batch", bins, frames)}
    if name == "input_values":
        return {name: torch.randn(2, 1600)}, {name: ("batch", 1600)}
    if name != "input_ids":
        raise ValueError(f"the main input is '{name}'")
    vocab = min(getattr(text, "vocab_size", 101) or 101, 101)
    inputs = {name: ids(2, 16, vocab)}
    if masked:
        mask = torch.ones(2, 16, dtype=torch.long)
        mask[1, 11:] = 0
        inputs["attention_mask"] = mask
    if config.is_encoder_decoder and getattr(module, "decoder", None) is not None or \
            hasattr(getattr(module, "model", None), "decoder") and config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids(2, 9, vocab)
    dims = {key: ("batch", "decoder_seq" if key.startswith("decoder") else "seq")
            for key in inputs}
    return inputs, dims
