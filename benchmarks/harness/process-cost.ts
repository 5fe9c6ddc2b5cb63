import { readFileSync } from 'node:fs'

/** The unit of the system's CPU times: hundredths of a second. */
const TICK_MS = 10

/** Returns the CPU time of a running process in ms, for all its threads. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Returns the CPU time of exited child processes in ms, including their children. */
export function cpuOfEnded(): number {
  const fields = statOf(process.pid)
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** Returns the peak memory of a running process in MB. */
export function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Returns the fields after the process name, which may contain any character. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
