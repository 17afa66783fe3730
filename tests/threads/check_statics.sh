#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# No plugin, and not the kit, has a variable that can be written at run time: two scenes on two threads would share it. What a plugin keeps for a scene is
# in dv_scene_local. Mutexes and counters are listed here, with what they are for.
#   check_statics.sh LIBRARY...
allowed='^(completed\.[0-9]+|__cpu_model|__cpu_features2|__dso_handle|__TMC_END__|metis_mutex|arpack_mutex|blas_mutex|last_picture_id|hdf5_mutex|libcudart_static_[0-9a-f]+|nvtxGlobals_v[0-9]+|InitializeInjectionNvtx2_fnptr|_Z.*__(device_stub_|cudaFatCubinHandle).*)$'
# metis_mutex: METIS draws from the one generator of the C library (plugins/solvers/linear/node_ordering.c).
# arpack_mutex: the routines of ARPACK keep their state in variables (plugins/solvers/lapack/eigenpairs.c).
# blas_mutex: BLAS, one for all plugins, takes one call at a time (kit/src/blas.c).
# hdf5_mutex: HDF5 takes one call at a time (plugins/io/hdf5/arrays.c).
# libcudart_static_..., __device_stub__, __cudaFatCubinHandle: the runtime of CUDA and what nvcc writes to start kernels; both lock for themselves.
# nvtxGlobals_..., InitializeInjectionNvtx2_fnptr: the functions of a profiler, which the headers of NVTX look for once, and lock.
# last_picture_id: renderers tell arrays of all scenes apart by it; atomic (plugins/visual/picture/recording.c).
result=0
for library; do
    found=$(objdump -t "$library" | awk '$4 == ".data" || $4 == ".bss" || $4 == ".tbss" || $4 == ".tdata" { print $NF }
        $3 == ".data" || $3 == ".bss" || $3 == ".tbss" || $3 == ".tdata" { print $NF }' | grep -vE "$allowed|^\.(data|bss|tbss|tdata)$")
    for name in $found; do
        echo "${library##*/}: '$name' can be written at run time; keep it in dv_scene_local, or make it const"
        result=1
    done
done
[ $# -gt 0 ] || { echo "no library was given"; exit 1; }
exit $result
