"""Tiny models of transformers, with weights, norms and biases that are all random."""

import importlib
import logging

logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.models.whisper import modeling_whisper  # noqa: E402

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(1)  # more of them wait for each other: the models are small

DECODER = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=8,
               num_key_value_heads=2, intermediate_size=112, vocab_size=101,
               max_position_embeddings=64, bos_token_id=1, eos_token_id=2,
               pad_token_id=0)
ENCODER = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
               intermediate_size=96, vocab_size=101, max_position_embeddings=48)
PADDED = ("input_ids", "attention_mask")
IMAGE = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
             intermediate_size=96, image_size=32, patch_size=8)
T5 = dict(d_model=48, num_layers=3, num_heads=4, d_ff=96, d_kv=12, vocab_size=101,
          relative_attention_num_buckets=8, relative_attention_max_distance=10)
BART = dict(d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=96, decoder_ffn_dim=96,
            vocab_size=101, max_position_embeddings=48)
PIXELS = ("pixel_values",)
SEGFORMER = dict(num_encoder_blocks=3, depths=[1, 2, 1], hidden_sizes=[8, 16, 32],
                 num_attention_heads=[1, 4, 8], sr_ratios=[4, 2, 1], mlp_ratios=[2, 2, 2],
                 patch_sizes=[7, 3, 3], strides=[4, 2, 2], drop_path_rate=0.0,
                 decoder_hidden_size=20, num_labels=5)
WIDE_PIXELS = {"pixel_values": ("batch", 3, 32, 48)}
UNET = dict(sample_size=8, block_out_channels=(8, 16), layers_per_block=1,
            norm_num_groups=4, attention_head_dim=4)
SAMPLE = {"sample": ("batch", 4, 8, 12), "timestep": ("batch",)}
SIZES = {"batch": 3, "seq": 13, "decoder_seq": 7}

# Name -> (class, config, inputs); these are names, or names with their dims.
FAMILIES = {
    "gpt2": ("GPT2LMHeadModel", dict(n_embd=48, n_layer=2, n_head=4, n_positions=48,
                                     vocab_size=101, bos_token_id=1, eos_token_id=2),
             ("input_ids",)),
    "llama": ("LlamaForCausalLM", DECODER, ("input_ids",)),
    "llama_padded": ("LlamaForCausalLM", DECODER, PADDED),
    "mistral": ("MistralForCausalLM", DECODER | dict(sliding_window=7, head_dim=8),
                ("input_ids",)),
    "qwen2": ("Qwen2ForCausalLM", DECODER, ("input_ids",)),
    "qwen3": ("Qwen3ForCausalLM", DECODER | dict(head_dim=16), ("input_ids",)),
    "bert": ("BertModel", ENCODER, PADDED),
    "distilbert": ("DistilBertModel", dict(dim=48, n_layers=2, n_heads=4, hidden_dim=96,
                                           vocab_size=101, max_position_embeddings=48),
                   PADDED),
    "electra": ("ElectraModel", ENCODER | dict(embedding_size=32), PADDED),
    "olmo2": ("Olmo2ForCausalLM", DECODER, ("input_ids",)),
    "phi": ("PhiForCausalLM", DECODER, ("input_ids",)),
    "phi3": ("Phi3ForCausalLM", DECODER, ("input_ids",)),
    "gptj": ("GPTJForCausalLM", dict(n_embd=64, n_layer=2, n_head=4, n_positions=48,
                                     vocab_size=101, rotary_dim=16, bos_token_id=1,
                                     eos_token_id=2), ("input_ids",)),
    "albert": ("AlbertModel", ENCODER | dict(embedding_size=32), PADDED),
    "llama3_1": ("LlamaForCausalLM", DECODER | dict(head_dim=16, rope_parameters=dict(
        rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0,
        high_freq_factor=4.0, original_max_position_embeddings=32)), ("input_ids",)),
    "yarn": ("LlamaForCausalLM", DECODER | dict(head_dim=16, rope_parameters=dict(
        rope_type="yarn", rope_theta=10000.0, factor=4.0,
        original_max_position_embeddings=16)), ("input_ids",)),
    "gemma2": ("Gemma2ForCausalLM", DECODER | dict(head_dim=16, sliding_window=7),
               ("input_ids",)),
    "mpnet": ("MPNetModel", ENCODER, PADDED),
    "roberta_counted": ("RobertaModel", ENCODER, PADDED),
    "gpt_neox": ("GPTNeoXForCausalLM", DECODER, ("input_ids",)),
    "opt": ("OPTForCausalLM", dict(hidden_size=48, num_hidden_layers=2, ffn_dim=96,
                                   num_attention_heads=4, vocab_size=101,
                                   max_position_embeddings=48, word_embed_proj_dim=48),
            ("input_ids",)),
    "bloom": ("BloomForCausalLM", dict(hidden_size=48, n_layer=2, n_head=4,
                                       vocab_size=101), ("input_ids",)),
    "gemma": ("GemmaForCausalLM", DECODER | dict(head_dim=16), ("input_ids",)),
    "gemma3": ("Gemma3ForCausalLM", DECODER | dict(
        num_hidden_layers=6, head_dim=16, sliding_window=7, sliding_window_pattern=3),
        ("input_ids",)),
    "modernbert": ("ModernBertModel", ENCODER | dict(
        num_hidden_layers=4, global_attn_every_n_layers=2, local_attention=8,
        pad_token_id=0), PADDED),
    "bert_masked": ("BertForMaskedLM", ENCODER, PADDED),
    "t5_encoder": ("T5EncoderModel", T5, PADDED),
    "t5": ("T5ForConditionalGeneration", T5, PADDED + ("decoder_input_ids",)),
    "bart": ("BartForConditionalGeneration", BART, PADDED + ("decoder_input_ids",)),
    "vit": ("ViTModel", IMAGE, PIXELS),
    "dinov2": ("Dinov2Model", IMAGE | dict(mlp_ratio=2), PIXELS),
    "clip_vision": ("CLIPVisionModel", IMAGE, PIXELS),
    "clip_text": ("CLIPTextModel", ENCODER | dict(eos_token_id=2), PADDED),
    "clip_text_end": ("CLIPTextModel", ENCODER | dict(eos_token_id=100), PADDED),
    "whisper_encoder": ("WhisperEncoder", dict(
        d_model=48, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=96,
        num_mel_bins=16, max_source_positions=24), ("input_features",)),
    "swin": ("SwinModel", dict(
        embed_dim=8, depths=[2, 2, 1], num_heads=[2, 4, 4], window_size=3, image_size=48,
        patch_size=4, drop_path_rate=0.0), PIXELS),
    "convnext": ("ConvNextModel", dict(depths=[1, 2, 1], hidden_sizes=[8, 16, 24],
                                       num_stages=3), PIXELS),
    "resnet": ("ResNetModel", dict(embedding_size=8, hidden_sizes=[16, 24],
                                   depths=[2, 1], layer_type="basic"), PIXELS),
    "mobilenet_v2": ("MobileNetV2Model", dict(depth_multiplier=0.25, image_size=32,
                                              output_stride=8), PIXELS),
    "roberta": ("RobertaModel", ENCODER, PADDED + ("position_ids", "token_type_ids")),
    "segformer": ("SegformerModel", SEGFORMER, WIDE_PIXELS),
    "segformer_segments": ("SegformerForSemanticSegmentation", SEGFORMER, WIDE_PIXELS),
    "resampled": ("Resampled", {}, {"x": ("batch", 3, 6, 8)}),
    "vae_decoder": ("VaeDecoder", dict(
        latent_channels=4, block_out_channels=(8, 16, 16), layers_per_block=1,
        norm_num_groups=4, down_block_types=("DownEncoderBlock2D",) * 3,
        up_block_types=("UpDecoderBlock2D",) * 3), {"latents": ("batch", 4, 4, 6)}),
    "unet": ("UNet2DModel", UNET | dict(
        in_channels=4, out_channels=4, freq_shift=1, flip_sin_to_cos=False,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D")), SAMPLE),
    "unet_conditioned": ("UNet2DConditionModel", UNET | dict(
        cross_attention_dim=20, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")),
        SAMPLE | {"encoder_hidden_states": ("batch", "seq", 20)}),
}


def found(kind):
    """The class of this name: of transformers, of a part of one, or of pictures.py."""
    return getattr(transformers, kind, None) or getattr(modeling_whisper, kind, None) or \
        getattr(importlib.import_module("pictures"), kind)


def build(name, **changes):
    """(module, its inputs at batch 3, seq 13) of a family, with changes of the
    config."""
    kind, config, _ = FAMILIES[name]
    made, config = found(kind), config | changes
    torch.manual_seed(len(name))
    module = made(made.config_class(**config)) if hasattr(made, "config_class") \
        else made(**config)
    module.eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    for key, buffer in module.named_buffers():
        if key.endswith(("running_mean", "logits_bias")):
            buffer.add_(0.1 * torch.randn(buffer.shape))
        elif key.endswith("running_var"):
            buffer.add_(torch.rand(buffer.shape))
    return module, {key: draw(key, *(SIZES.get(dim, dim) for dim in shape))
                    for key, shape in dims(name).items()}


def with_padding(name, inputs):
    """The inputs, with ids of padding where a family counts positions by them."""
    if name in ("mpnet", "roberta_counted"):
        inputs["input_ids"][inputs["attention_mask"] == 0] = 1
    return inputs


def without_dropout(name):
    """Changes of a family's config: nothing is dropped, as in all of diffusers."""
    kind, config, _ = FAMILIES[name]
    if not hasattr(found(kind), "config_class"):
        return {}
    return {key: 0.0 for key, value in found(kind).config_class(**config).to_dict().items()
            if "drop" in key and isinstance(value, float) and value}


def dims(name):
    """Those of a family's inputs, by the inputs' names."""
    _, config, inputs = FAMILIES[name]
    if isinstance(inputs, dict):
        return inputs
    size = config.get("image_size", 32)
    known = {"pixel_values": ("batch", 3, size, size),
             "input_features": ("batch", 16, 48),  # bins, twice as many frames as positions
             "decoder_input_ids": ("batch", "decoder_seq")}
    return {key: known.get(key, ("batch", "seq")) for key in inputs}


def draw(name, *shape):
    """Ids, a mask whose rows end early and have a hole, positions, types, times, or
    numbers."""
    if name == "timestep":
        return torch.randint(1000, shape)
    if len(shape) > 2:
        return torch.randn(shape)
    batch, seq = shape
    if name == "attention_mask":
        mask = torch.ones(batch, seq, dtype=torch.long)
        for row in range(1, batch):
            mask[row, seq - 2 * row:] = 0
        mask[0, 3] = 0
        return mask
    if name == "position_ids":
        return torch.arange(2, seq + 2).repeat(batch, 1)
    if name == "token_type_ids":
        return torch.arange(batch * seq).reshape(batch, seq) // 7 % 2
    return torch.randint(3, 101, shape)
