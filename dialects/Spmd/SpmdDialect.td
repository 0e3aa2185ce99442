//===- SpmdDialect.td - the dialect of one rank's program -----------------===//

#ifndef HOCKET_SPMD_DIALECT
#define HOCKET_SPMD_DIALECT

include "mlir/IR/OpBase.td"

def Spmd_Dialect : Dialect {
  let name = "spmd";
  let cppNamespace = "::hocket::spmd";
  let summary = "collectives and slices of one rank's program";
  let description = [{
    After partitioning a module holds one function for each rank class: the
    ranks that share instructions and local shapes. The functions are called
    `@class0`, `@class1`, ...; `nn` operations in them compute on local tensors
    (layouts with local sizes and no placement), `spmd` operations talk to the
    other ranks or depend on where the rank is.

    Attributes of the module: `nn.mesh`, `nn.model`, `nn.schedule`.

    Attributes of a class function
    - `spmd.ranks`: all ranks of the class, ascending (ranks number the mesh
      row-major);
    - `nn.ignore`, `nn.outputs`: as in the model stage.

    Attributes of its arguments and results (a dictionary each)
    - `nn.name`: the name of the input or output;
    - `spmd.cuts`: a `#spmd.box`, which part of the global tensor this is;
    - `spmd.replicated_over` (results): the mesh axes along which every rank
      holds the same bytes.

    Attributes of `nn` operations in a class function
    | operation | attribute | meaning |
    |---|---|---|
    | `nn.parameter`, `nn.state` | `spmd.cuts` | `#spmd.box` of the global tensor |
    | `nn.parameter` | `spmd.only_first_of` | axes: zeros where the coordinate on any of them is not 0; absent: none |
    | `nn.embedding` | `spmd.vocab` | rows of the global table |
    | `nn.embedding` | `spmd.vocab_offset` | `#spmd.table`, global number of the first local row |
    | `nn.attention` | `spmd.group` | query heads for each kv head |
    | `nn.attention` | `spmd.head_offset`, `spmd.kv_head_offset` | `#spmd.table`, global number of the first local query and kv head; query head h reads local kv head (head_offset + h) / group - kv_head_offset |
    | `nn.attention` | `spmd.query_offset`, `spmd.key_offset` | `#spmd.table`; causal means j + key_offset <= i + query_offset, so query_offset includes t - s of the global sizes |
    | `nn.pool`, `nn.pool_grad` | `spmd.extents`, `spmd.lows`, `spmd.highs` | of the whole, by spatial dim; what is outside of [0, extent) is no value |
    | `nn.pool`, `nn.pool_grad` | `spmd.positions`, `spmd.results` | a `#spmd.table` for each spatial dim: where the rank's begin in the whole |
    | `nn.neighborhood_attention` | `spmd.query_offsets`, `spmd.key_offsets`, `spmd.extents` | by dim of positions: a `#spmd.table` each for where the local queries and keys begin in the whole dim, and its extent; heads as `nn.attention` |
    | `nn.gather`, `nn.scatter_sum` | `indices`, without `owners` | the rank's edges, from the first node that it holds on |
    | `nn.iota` | `spmd.first` | `#spmd.table`, the first value; absent: 0 |
    | `nn.rotary` | `spmd.first` | `#spmd.table`, the first position; absent: 0 |
    | `nn.dropout`, `nn.attention` | `spmd.cuts` | `#spmd.box` of the global tensor whose elements draw random words (of attention, its weights) |
    | `nn.dropout`, `nn.attention` | `spmd.first` | `#spmd.table`, the row-major number of the rank's first element in it |
    | `nn.dropout`, `nn.attention` | `spmd.key` | the seed XOR the stream |

    `nn.embedding` and `nn.attention` always have theirs, but those of random
    words only with a `step`. `nn.value`, `nn.redistribute`, an `nn.dropout`
    without a `step` and the kind `mean` of `nn.reduce` do not occur. A norm or softmax that remains is over whole dims.

    Every collective has an `id`: it is the id-th of the program, counted from
    0, and the same in all classes, in the same order.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Spmd_Op<string mnemonic, list<Trait> traits = []>
    : Op<Spmd_Dialect, mnemonic, traits>;

#endif // HOCKET_SPMD_DIALECT
