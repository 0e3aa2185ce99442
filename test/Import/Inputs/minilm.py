"""all-MiniLM-L6-v2 as its users run it: BERT, the mean of the states of real tokens,
and a length of 1. The parameters have the names of the published file."""

from transformers import BertConfig, BertModel


class MiniLm(BertModel):
    def forward(self, tokens, keep):
        states = super().forward(input_ids=tokens, attention_mask=keep).last_hidden_state
        weight = keep.unsqueeze(-1).to(states.dtype)
        pooled = (states * weight).sum(1) / weight.sum(1)
        return pooled / (pooled * pooled).sum(-1, keepdim=True).sqrt()


def published():
    return MiniLm(BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                             intermediate_size=1536, vocab_size=30522))
