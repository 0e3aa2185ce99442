"""Tiny models of transformers, with weights, norms and biases that are all random."""

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
SIZES = {"batch": 3, "seq": 13, "decoder_seq": 7}

# Name -> (class, config, inputs).
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
}


def found(kind):
    """The class of this name; of Whisper's encoder too, which is a part of a model."""
    return getattr(transformers, kind, None) or getattr(modeling_whisper, kind)


def build(name, **changes):
    """(module, its inputs at batch 3, seq 13) of a family, with changes of the
    config."""
    kind, config, inputs = FAMILIES[name]
    made = found(kind)
    torch.manual_seed(len(name))
    module = made(made.config_class(**(config | changes))).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    for key, buffer in module.named_buffers():
        if key.endswith(("running_mean", "logits_bias")):
            buffer.add_(0.1 * torch.randn(buffer.shape))
        elif key.endswith("running_var"):
            buffer.add_(torch.rand(buffer.shape))
    size = image_size(name)
    return module, {key: draw(key, *(SIZES.get(dim) for dim in dims(key)[:2]), size)
                    for key in inputs}


def image_size(name):
    return FAMILIES[name][1].get("image_size", 32)


def with_padding(name, inputs):
    """The inputs, with ids of padding where a family counts positions by them."""
    if name in ("mpnet", "roberta_counted"):
        inputs["input_ids"][inputs["attention_mask"] == 0] = 1
    return inputs


def without_dropout(name):
    """Changes of a family's config: nothing is dropped."""
    return no_drops(found(FAMILIES[name][0]).config_class(**FAMILIES[name][1]))


def no_drops(config):
    return {key: 0.0 for key, value in config.to_dict().items()
            if "drop" in key and isinstance(value, float) and value}


def dims(name, size=32):
    """Those of an input, by name; images are of this size."""
    if name == "pixel_values":
        return "batch", 3, size, size
    if name == "input_features":  # of 16 bins, twice as many frames as positions
        return "batch", 16, 48
    return "batch", "decoder_seq" if name.startswith("decoder") else "seq"


def draw(name, batch, seq, size=32):
    """Ids, a mask whose rows end early and have a hole, positions, types, images."""
    if name == "pixel_values":
        return torch.randn(batch, 3, size, size)
    if name == "input_features":
        return torch.randn(batch, 16, 48)
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
    return torch.randint(3, 101, (batch, seq))
