import { readFileSync } from 'node:fs'

/** What the system counts in, for CPU time: hundredths of a second. */
const TICK_MS = 10

/** Milliseconds of CPU that a running process has used, in all its threads. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Milliseconds of CPU that ended children of this process have used, with theirs. */
export function cpuOfEnded(): number {
  const fields = statOf(process.pid)
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** The most memory that a running process has had, in MB. */
export function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** The fields behind the name, which may hold anything. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
