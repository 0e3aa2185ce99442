"""Tiny models of transformers, with weights, norms and biases that are all random."""

import logging

logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)
import torch  # noqa: E402
import transformers  # noqa: E402

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

DECODER = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=8,
               num_key_value_heads=2, intermediate_size=112, vocab_size=101,
               max_position_embeddings=64, bos_token_id=1, eos_token_id=2,
               pad_token_id=0)
ENCODER = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
               intermediate_size=96, vocab_size=101, max_position_embeddings=48)
PADDED = ("input_ids", "attention_mask")

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
    "roberta": ("RobertaModel", ENCODER, PADDED + ("position_ids", "token_type_ids")),
}


def build(name, **changes):
    """(module, its inputs at batch 3, seq 13) of a family, with changes of the
    config."""
    kind, config, inputs = FAMILIES[name]
    made = getattr(transformers, kind)
    torch.manual_seed(len(name))
    module = made(made.config_class(**(config | changes))).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    return module, {name: draw(name, 3, 13) for name in inputs}


def draw(name, batch, seq):
    """Ids, a mask whose rows end early, positions, types."""
    if name == "attention_mask":
        mask = torch.ones(batch, seq, dtype=torch.long)
        for row in range(1, batch):
            mask[row, seq - 2 * row:] = 0
        return mask
    if name == "position_ids":
        return torch.arange(2, seq + 2).repeat(batch, 1)
    if name == "token_type_ids":
        return torch.arange(batch * seq).reshape(batch, seq) // 7 % 2
    return torch.randint(3, 101, (batch, seq))
