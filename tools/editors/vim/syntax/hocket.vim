" hocket.vim - models and schedules of Hocket

if exists("b:current_syntax")
  finish
endif

syntax keyword hocketDeclaration hocket import module model variant train schedule def
syntax keyword hocketDeclaration hook let
syntax keyword hocketControl for in if else return of with
syntax keyword hocketSetting ignore prefix replace mask precision loss optimizer clip
syntax keyword hocketSetting accumulate seed steps data init checkpoint validate
syntax keyword hocketSetting except derivative collective split cuda
syntax keyword hocketStatement mesh at use shard replicate sync defer halo attention
syntax keyword hocketStatement statistics recompute save fsdp fuse bucket
syntax keyword hocketStatement expect auto reshard
syntax keyword hocketWord axis over to op root reach using overlap layers from stage until
syntax keyword hocketWord count optional override aligned sizes weights zigzag
syntax keyword hocketWord striped gradients parameters sharded gathered
syntax keyword hocketWord memory bytes forward backward even odd heads sequence
syntax keyword hocketWord ring neighbors sum max min
syntax keyword hocketPoint fwd_pre fwd_post bwd_pre bwd_post
syntax keyword hocketCollective all_reduce reduce_scatter all_gather all_to_all slice
syntax keyword hocketCollective broadcast repartition
syntax keyword hocketType int float bool dim str mesh_axis f16 bf16 f32 f64 i32
syntax keyword hocketType i64 u8 u16
syntax keyword hocketConstant true false none
syntax keyword hocketOperator and or not

syntax match  hocketNumber "\v<\d+(\.\d+)?([eE][+-]?\d+)?>"
syntax match  hocketEscape "\\[\"\\nt]" contained
syntax region hocketString start=+"+ skip=+\\.+ end=+"+ oneline contains=hocketEscape
syntax match  hocketComment "#.*$"

highlight default link hocketDeclaration Structure
highlight default link hocketControl Repeat
highlight default link hocketSetting PreProc
highlight default link hocketStatement Statement
highlight default link hocketWord Keyword
highlight default link hocketPoint Label
highlight default link hocketCollective Function
highlight default link hocketType Type
highlight default link hocketConstant Constant
highlight default link hocketOperator Operator
highlight default link hocketNumber Number
highlight default link hocketEscape SpecialChar
highlight default link hocketString String
highlight default link hocketComment Comment

let b:current_syntax = "hocket"
