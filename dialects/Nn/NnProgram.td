//===- NnProgram.td - what is said of a whole program --------------------===//

#ifndef HOCKET_NN_PROGRAM
#define HOCKET_NN_PROGRAM

include "dialects/Nn/NnAttrs.td"
include "dialects/Nn/NnProgramEnums.td"

// A line of its own in the module, beside the functions that it is about.
class Nn_ProgramOp<string mnemonic>
    : Nn_Op<mnemonic, [HasParent<"::mlir::ModuleOp">]> {
  let hasVerifier = 1;
}

def Nn_ModelOp : Nn_ProgramOp<"model"> {
  let summary = "the model of a program, and what it is compiled for";
  let description = [{
    Of all stages. `target`: what runs the program, and from the stage kernels
    on what it is made for. Of the file of weights: `ignore`, patterns of
    tensors that nothing reads, and `prefixes`, which may stand before the names
    of others. `otherArguments`: inputs of the functions of the model that this
    is not, which a schedule may place. `gradients`: none, of the `parameters`,
    or of `all` floats, inputs as well. `precision`: {} or the types `compute`
    and `reduce` (hocket/Transforms/Precision.h). `seed`: of the words of
    dropout. `train`: {} or an optimizer (lib/Frontend/Elaborate/TrainRecipe.h);
    `run`: files and numbers of steps of its runs (TrainRun.cpp there).

    (C1) a module has one. (C2) `train` says what its optimizer needs, and is of
    gradients of parameters. (C3) `compute` is bf16 or f16, `reduce` f32 or the
    same. (C4) what is not trained has no `run`.
  }];
  let arguments = (ins StrAttr:$model, Nn_Target:$target,
                       Nn_Gradients:$gradients,
                       StrArrayAttr:$ignore, StrArrayAttr:$prefixes,
                       StrArrayAttr:$otherArguments,
                       DictionaryAttr:$precision, I64Attr:$seed,
                       DictionaryAttr:$train, DictionaryAttr:$run);
  let assemblyFormat = "$model `target` $target `gradients` $gradients attr-dict";
  let extraClassDeclaration = [{
    bool isTrained() { return !getTrain().empty(); }
    bool isNarrow() { return !getPrecision().empty(); }
  }];
}

def Nn_PlacementOp : Nn_ProgramOp<"placement"> {
  let summary = "the mesh that a program is placed on, and what must hold of it";
  let description = [{
    What later stages need of a schedule, from the stage placed on.
    `expectations` of bytes and memory: dictionaries of `what`, `comparison`,
    `limit` and `line`; those of the backward: of `root`, `counts` and `line`.
    `buckets`: of `of`, `axes`, `bytes` and `line`. `moves` that auto_reshard
    has put in: of `path`, `line` and `bytes`, for who reads it.

    (C1) a module has one. (C2) the mesh has 1 to 2^20 ranks. (C3) the lists
    are of such dictionaries.
  }];
  let arguments = (ins StrAttr:$schedule, Nn_MeshAttr:$mesh,
                       ArrayAttr:$expectations,
                       ArrayAttr:$backwardExpectations,
                       ArrayAttr:$buckets, ArrayAttr:$moves);
  let assemblyFormat = "$schedule $mesh attr-dict";
}

#endif // HOCKET_NN_PROGRAM
