; RmsNorm.ll - a kernel as LLVM's NVPTX backend makes PTX of it: rows of 1024
; bf16, 8 a thread of 128, each divided by the root of its mean square and
; multiplied by a weight. It needs no CUDA. The call stays one: llc does not
; inline.

target triple = "nvptx64-nvidia-cuda"

@parts = internal addrspace(3) global [4 x float] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.vector.reduce.fadd.v8f32(float, <8 x float>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)

define float @sum_of_warp(float %value) {
  %a = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %value, i32 16, i32 31)
  %s = fadd float %value, %a
  %b = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s, i32 8, i32 31)
  %t = fadd float %s, %b
  %c = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %t, i32 4, i32 31)
  %u = fadd float %t, %c
  %d = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %u, i32 2, i32 31)
  %v = fadd float %u, %d
  %e = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %v, i32 1, i32 31)
  %w = fadd float %v, %e
  ret float %w
}

define ptx_kernel void @rms_norm(
    ptr addrspace(1) noalias readonly align 16 %x,
    ptr addrspace(1) noalias readonly align 16 %weight,
    ptr addrspace(1) noalias align 16 %y) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %column = shl nuw nsw i32 %thread, 3
  %row = shl nuw nsw i32 %block, 10
  %element = add nuw nsw i32 %row, %column
  %at = zext i32 %element to i64
  %from = getelementptr bfloat, ptr addrspace(1) %x, i64 %at
  %half = load <8 x bfloat>, ptr addrspace(1) %from, align 16
  %value = fpext <8 x bfloat> %half to <8 x float>
  %square = fmul <8 x float> %value, %value
  %sum = call float @llvm.vector.reduce.fadd.v8f32(float 0.0, <8 x float> %square)
  %ofwarp = call float @sum_of_warp(float %sum)
  %warp = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %store, label %join

store:
  %part = getelementptr [4 x float], ptr addrspace(3) @parts, i32 0, i32 %warp
  store float %ofwarp, ptr addrspace(3) %part, align 4
  br label %join

join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %all = load <4 x float>, ptr addrspace(3) @parts, align 16
  %total = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %all)
  %mean = fmul float %total, 9.765625e-04
  %sure = fadd float %mean, 0x3EE4F8B580000000
  %scale = call float @llvm.nvvm.rsqrt.approx.f(float %sure)
  %one = insertelement <8 x float> poison, float %scale, i32 0
  %scales = shufflevector <8 x float> %one, <8 x float> poison, <8 x i32> zeroinitializer
  %normal = fmul <8 x float> %value, %scales
  %start = zext i32 %column to i64
  %weights = getelementptr bfloat, ptr addrspace(1) %weight, i64 %start
  %w = load <8 x bfloat>, ptr addrspace(1) %weights, align 16
  %factor = fpext <8 x bfloat> %w to <8 x float>
  %product = fmul <8 x float> %normal, %factor
  %result = fptrunc <8 x float> %product to <8 x bfloat>
  %to = getelementptr bfloat, ptr addrspace(1) %y, i64 %at
  store <8 x bfloat> %result, ptr addrspace(1) %to, align 16
  ret void
}
