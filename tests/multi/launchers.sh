#!/bin/bash
# launchers.sh DTGC DIR MPIEXEC: processes that another launcher has started than MPI's own ran as many trainings, which
# wrote the same files. They are rejected, with both numbers and the launcher; similar starts that are right are not.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=$3
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
for name in ${!PMI*} ${!PMIX*} ${!OMPI*} ${!SLURM*} ${!MPI_*}; do unset "$name"; done
cat >model.dtg <<'END'
const batch = 4
param w: f32[3] = zeros()
entry train(x: f32[batch, 3]) {
  loss = mean((x * w - 1) ** 2)
  w <- w + 0.1 * mean(x, axis=0)
  return loss
}
END
printf 'mesh [a=4]\nlayout x = [a, ...]\n' >4.dtg
printf '1,2,3\n4,5,6\n7,8,9\n1,1,1\n' >d.csv
"$dtgc" model.dtg 4.dtg -o model || { echo 'no executable'; exit 1; }
fit='fit train --feed x=d.csv --epochs 2 --log log.csv'

evidence=(out.txt err.txt)
# refused TEXT VARIABLE=VALUE...: and it has written no log
refused() {
  local text=$1
  shift
  rm -f log.csv
  env "$@" ./model $fit >out.txt 2>err.txt && fail "$*: accepted"
  grep -qF -- "$text" err.txt || fail "$*: not \"$text\""
  [ -e log.csv ] && fail "$*: a log was written"
}
fine() { env "$@" >out.txt 2>err.txt || fail "$*: refused"; }

one='but MPI has 1 rank: it is not the launcher of this MPI'
refused "srun has started 4 processes (SLURM_STEP_NUM_TASKS), $one" SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4
refused "rank 2: srun has started 4 processes" SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4
refused "mpirun of Open MPI has started 3 processes (OMPI_COMM_WORLD_SIZE), $one" OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 PMIX_RANK=0
refused "mpirun of Open MPI has started 3" OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1
refused "mpiexec has started 2 processes (PMI_SIZE), $one" PMI_RANK=0 PMI_SIZE=2
refused "mpirun of MVAPICH has started 2 processes" MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=2
refused "a launcher of PMIx has started 2 processes" PMIX_RANK=0 PMIX_SIZE=2
refused "mpiexec has started 4 processes on this host (MPI_LOCALNRANKS), $one" MPI_LOCALRANKID=0 MPI_LOCALNRANKS=4
env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$dtgc" run model.dtg 4.dtg $fit >out.txt 2>err.txt && fail 'dtgc run: accepted'
grep -qF "srun has started 4 processes" err.txt || fail 'dtgc run'

# A script of sbatch, a shell of salloc, a step of one task; an allocation whose mpiexec has srun start its proxies.
fine SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0 ./model $fit
fine SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 ./model $fit
fine SLURM_JOB_ID=7 SLURM_NTASKS=4 ./model $fit
fine SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 "$mpiexec" -n 4 ./model $fit
fine SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$mpiexec" -n 1 ./model $fit
fine OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 ./model $fit
# Said in so many words.
fine SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 ./model $fit --transport threads
[ $failed -eq 0 ] && echo 'launchers and MPI agree'
exit $failed
