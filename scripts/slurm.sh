#!/bin/sh
# slurm.sh COMMAND… runs a command beside a Slurm of two nodes, n1 and n2, which are both this
# machine. Each has 8 CPUs and 3 GPUs, whatever the machine has. SLURM_CONF tells Slurm's programs where it is. Nothing is left running, and the machine's
# own Slurm stays as it is. As root, it installs Debian's packages where they are missing.
set -eu
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch srun; do
	command -v $program >/dev/null && continue
	if [ "$(id -u)" -ne 0 ]; then
		echo "slurm.sh: there is no $program: install slurm-wlm and munge" >&2
		exit 1
	fi
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends slurm-wlm munge
done

dir=$(mktemp -d /tmp/slurm-XXXXXX)
daemons=
ended() { # ends what this script has started
	status=$?
	trap - EXIT INT TERM HUP
	if [ -n "$daemons" ]; then
		scancel --quiet --user="$(id -un)" 2>/dev/null || true
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ -n "$(squeue --noheader 2>/dev/null)" ] || break
			sleep 1
		done
	fi
	for pid in $daemons; do
		kill "$pid" 2>/dev/null || true
	done
	wait
	if [ "$status" -ne 0 ]; then
		grep -v munged "$dir/log/output" | tail -n 60 >&2
	fi
	rm -rf "$dir"
	exit "$status"
}
trap ended EXIT
trap 'exit 130' INT TERM HUP

mkdir "$dir/log" "$dir/state"
dd if=/dev/urandom of="$dir/munge.key" bs=1024 count=1 status=none
chmod 600 "$dir/munge.key"
port=$((10000 + $$ % 7000 * 3)) # below those that the system gives to clients
# A requeued job waits until its credential has expired, for at least 5 seconds. slurmctld looks for
# ends of time limits every 30 seconds.
cat >"$dir/slurm.conf" <<CONF
ClusterName=acqnp
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd.%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=3,bf_interval=3
ReturnToService=2
GresTypes=gpu
NodeName=DEFAULT CPUs=8 RealMemory=64000 Gres=gpu:3
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1))
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2))
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE
CONF
touch "$dir/gpu0" "$dir/gpu1" "$dir/gpu2" # a GPU is a device to Slurm
echo "NodeName=n[1-2] Name=gpu File=$dir/gpu[0-2]" >"$dir/gres.conf"
export SLURM_CONF="$dir/slurm.conf"

start() { # COMMAND…: starts a daemon that stays in the foreground
	"$@" >>"$dir/log/output" 2>&1 &
	daemons="$daemons $!"
}
start munged --foreground --force --socket="$dir/munge.sock" --key-file="$dir/munge.key" --pid-file="$dir/munged.pid" \
	--log-file="$dir/log/munged" --seed-file="$dir/munge.seed"
await() { # COMMAND…: waits until it succeeds
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries -gt 120 ]; then
			echo "slurm.sh: Slurm does not start" >&2
			exit 1
		fi
		sleep 0.5
	done
}
idle() { [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 2 ]; }
await [ -S "$dir/munge.sock" ]
start slurmctld -D
start slurmd -D -N n1
start slurmd -D -N n2
await idle
"$@"
