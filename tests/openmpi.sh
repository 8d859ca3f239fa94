#!/bin/sh
# openmpi.sh ARGUMENTS: mpirun of Open MPI, with more ranks than cores, as root too, and quiet about a rank that fails.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
exec "$(command -v mpirun.openmpi || echo mpirun)" --oversubscribe --bind-to none --quiet "$@"
