#!/bin/sh
# hosts_bits.sh REDUCES REDUCES_MESSAGES: devices of several hosts, which share memory within a host and send messages
# between, give the bits of threads; so they do where hosts have unequal numbers of devices, or devices that do not lie
# in a row, and in flight.
reduces=$1 messages=$2 status=0 devices=
check() { # DEVICES HOSTS [flights]
  [ "$devices" = "$1" ] || want=$("$reduces" threads "$1") || exit 1 # once for all hosts
  devices=$1
  got=$(TEST_HOSTS=$2 timeout 100 "$messages" threads "$1" $3) || status=1
  [ "$got" = "$want" ] && return
  echo "FAIL $1 devices on $2 hosts $3: $got, not $want"
  status=1
}
check 4 2 flights
check 6 2
check 7 3 flights
check 7 '3 in turns'
check 8 2
check 8 '2 in turns' flights
# --sums=fast: the order is that of docs/sums.md, whose devices with the same addends have the same bits. Devices beside that
# do the same share it out where they are on one host.
order() { # SUMS DEVICES HOSTS [flights|beside]
  TEST_SUMS=$1 TEST_HOSTS=$3 timeout 100 "$messages" threads "$2" $4 >/dev/null && return
  echo "FAIL --sums=$1: $2 devices on $3 hosts $4"
  status=1
}
order fixed 2 2 beside
order fixed 6 3 beside
order fast 4 '2 in turns' flights
order fast 6 2
order fast 7 3
order fast 8 2 flights
order fast 3 2 beside
order fast 6 3 beside
exit $status
