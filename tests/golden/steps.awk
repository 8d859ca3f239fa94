# What the emitted C does, without its text: for each entry its steps, their loops, tiles and calls in order, and what each is counted
# as: kind, operations, bytes.   dtgc X.dtg --dump=c | awk -f steps.awk
/^DTRT_LOOP / && match($0, /loop[0-9]+_[a-z0-9_]+\(/) { loop = substr($0, RSTART, RLENGTH - 1); next }
loop && match($0, /dtrt_(gemm|conv|order|sort)[a-z0-9_]*\(/) { within[loop] = within[loop] " of " substr($0, RSTART, RLENGTH - 1) }
/^DTRT_ENTRY void entry_/ {
  match($0, /entry_[A-Za-z0-9_]+/)
  print "entry " substr($0, RSTART + 6, RLENGTH - 6)
  inside = 1
  loop = ""
}
/^static void tiles[0-9]+_/ {
  match($0, /tiles[0-9]+_[A-Za-z0-9_]+/)
  what = substr($0, RSTART, RLENGTH)
  sub(/[0-9]+_/, " ", what)
  print what ", by cores"
  inside = 1
  loop = ""
}
/^}/ { inside = 0; loop = "" }
inside && /^  \/\* / { sub(/^  \/\* /, ""); sub(/ \*\/$/, ""); sub(/    [^ ]*$/, ""); print "  " $0; next }
inside && match($0, /^ +for \(/) {
  indent = "  " substr($0, 1, RLENGTH - 5)
  if (/int64_t whole/) print indent "once, and whole where the parts left out count"
  else if (match($0, /\+= [0-9]+/)) print indent "for each " substr($0, RSTART + 3, RLENGTH - 3)
  else print indent "for each"
}
inside && !/\/\*.*\*\/$/ && match($0, /(loop[0-9]+_|dtrt_)[a-z0-9_]+\(/) {
  call = substr($0, RSTART, RLENGTH - 1)
  if (call == "dtrt_parallel" && match($0, /tiles[0-9]+_[a-z0-9_]+,/)) {
    call = substr($0, RSTART, RLENGTH - 1)
    sub(/[0-9]+_/, " ", call)
  }
  parallel = call == "dtrt_parallel" && match($0, /part[0-9]+_loop[0-9]+_[a-z0-9_]+,/)
  if (parallel) call = substr($0, RSTART, RLENGTH - 1)
  if (call ~ /^dtrt_(begin_step|lo|hi|live|stream_key|own)$/) next
  what = call within[call]
  sub(/^(part[0-9]+_)?loop[0-9]+_/, parallel ? "parallel loop " : "loop ", what)
  match($0, /^ +/)
  print "  " substr($0, 1, RLENGTH) what
}
/^static const dtrt_step / { match($0, /entry_[A-Za-z0-9_]+_steps/); print "counts of " substr($0, RSTART + 6, RLENGTH - 12); counts = 1; next }
counts && /^};/ { counts = 0 }
counts { n = split($0, part, ", "); sub(/},$/, "", part[n]); sub(/DTRT_STEP_/, "", part[n - 2]); print "  " part[n - 2] ", " part[n - 1] ", " part[n] }
