import type { MemoryEvent, MemoryStep } from './memory-run-inspector.ts'
import { endOf } from './memory-values.ts'
import { RUN_LIMITS, START_KEY_PREFIX } from '../run-limits.ts'
import type { ClaimedRun, CreatedRun, NewRun, RunPage, RunPause, StoredRun } from './run-store.ts'

/** A run in memory. */
export interface MemoryRun extends NewRun {
  owner: string | null
  status: StoredRun['status']
  epoch: number
  kept: number
  base: number
  crashes: number
  retractions: [number, number][]
  pages: RunPage[]
  readonly steps: Map<string, MemoryStep>
  readonly events: Map<string, MemoryEvent>
  output: string | null
  error: string | null
  pause: RunPause | null
  readonly createdAt: string
  endedAt: number | null
  isGone: boolean
}

/** Returns the time since when a run can be claimed, or NaN if it waits only for an event or belongs to a process. */
export function readyAt({ status, pause, dueAt, createdAt }: MemoryRun): number {
  if (status === 'queued') return Date.parse(dueAt ?? createdAt)
  return status === 'waiting' ? Date.parse(pause?.dueAt ?? '') : Number.NaN
}

/** Returns the outcome for a run that cannot be created, or null. */
export function findExisting(all: readonly MemoryRun[], run: NewRun): CreatedRun | null {
  const { key } = run
  const own = all.filter(({ agent }) => agent === run.agent)
  const same = own.filter(({ userId }) => userId === run.userId)
  const keyed =
    key === null ? undefined : (key.startsWith(START_KEY_PREFIX) ? own : same).find((one) => one.key === key)
  if (keyed !== undefined) return { outcome: keyed.print === run.print ? 'joined' : 'reused', id: keyed.id }
  const canBeBusy = run.thread !== null && run.isInTurn !== true
  const busy = canBeBusy ? same.find((one) => one.thread === run.thread && one.endedAt === null) : undefined
  if (busy !== undefined) return { outcome: 'busy', id: busy.id }
  if (run.caller === null) return null
  const unfinished = all.filter(({ caller, endedAt }) => caller === run.caller && endedAt === null).length
  return unfinished >= RUN_LIMITS.unfinished ? { outcome: 'full', id: run.id } : null
}

/** Gives a run to a process, as a new epoch. */
export function takeOver(run: MemoryRun, process: string): void {
  if (run.status === 'running') run.crashes += 1
  if (run.epoch === 0) run.epoch = 1
  else startEpoch(run, run.kept, run.status !== 'waiting' || run.pages.some((page) => endOf(page) > run.kept))
  Object.assign(run, { owner: process, status: 'running' })
}

/** Starts a new epoch of a run that keeps the first chunks. */
export function startEpoch(run: MemoryRun, keep: number, isRetraction = true): void {
  run.epoch += 1
  run.base = keep
  if (isRetraction) run.retractions.push([run.epoch, keep])
  run.pages = run.pages.filter(({ first }) => first < keep)
}

/** Returns whether a paused run waits for an event of this name. */
export function isWaitingFor({ pause }: MemoryRun, event: string): boolean {
  return pause?.events.some((key) => key.split(' ')[0] === event) === true
}

/** Returns a run as `claim` does. */
export function toClaimed({ id, agent, userId, key, thread, input, address, trace, ...run }: MemoryRun): ClaimedRun {
  const { epoch, kept, pages, status, crashes } = run
  const size = pages.flatMap(({ chunks }) => chunks).join('').length
  const caller = { id, agent, userId, key, thread, input, address, trace }
  return { ...caller, epoch, kept, size, crashes, hasFailed: status === 'failed' }
}

/** Returns a run as `get` does. */
export function toStored(run: MemoryRun | undefined): StoredRun | null {
  if (run === undefined) return null
  const { id, agent, userId, thread, isStream, status, epoch, output, error, createdAt, endedAt, isGone } = run
  const ends = run.pages.map((page) => (page.epoch === epoch ? endOf(page) : 0))
  const chunks = Math.max(run.kept, run.base, ...ends)
  const retractions = [...run.retractions]
  const ended = endedAt === null ? null : new Date(endedAt).toISOString()
  const head = { id, agent, userId, thread, isStream, status, epoch, chunks, retractions }
  const waiting = status === 'waiting' ? JSON.stringify(run.pause?.waiting ?? null) : null
  const input = status === 'queued' ? run.input : null
  return { ...head, input, output, error, waiting, createdAt, endedAt: ended, isGone }
}
