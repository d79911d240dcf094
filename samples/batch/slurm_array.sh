#!/bin/bash
# A batch as an array of Slurm's: sbatch samples/batch/slurm_array.sh
#SBATCH --array=0-3
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=04:00:00
# Ten minutes before the end SIGTERM: what runs is let end. Submitted once more, the array does the rest.
#SBATCH --signal=B:TERM@600
# With exec the signal comes to limber, not to a shell that would wait.
exec limber batch samples/batch/bodies.jsonl --out out/cluster --shard auto --jobs "${SLURM_CPUS_PER_TASK:-1}"
