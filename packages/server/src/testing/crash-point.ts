import { toGivenName } from '../run/step/step-names.ts'
import type { RunWrite } from '../run/store/run-store.ts'

/** Something that a run stores, before or after which its process can crash. */
export interface CrashMoment {
  readonly kind: 'step' | 'chunk' | 'pause' | 'end'
  readonly agent: string
  /** The name of the step, or the index of the chunk. */
  readonly name: string
  /** The number of this moment among those of the same agent and kind, from 1. Names may differ from run to run. */
  readonly number: number
}

/** A moment, and the side on which the process crashes. */
export interface CrashPoint extends CrashMoment {
  readonly side: 'before' | 'after'
}

/** The maximum number of crashes between chunks. If there are more chunks, the crashes are spread over them. */
const MAX_CHUNK_CRASHES = 16

type WriteMoment = Pick<CrashMoment, 'kind' | 'name'> & {
  /** The part of the write up to this moment. */
  readonly part: RunWrite
}

/** Returns the moments of a write in order. A process could have stored each part in a write of its own. */
export function momentsOf(write: RunWrite): WriteMoment[] {
  const { first, chunks, steps, end } = write
  const chunkMoments = chunks.map((_, at): WriteMoment => {
    const earlier = steps.filter((step) => step.chunks <= first + at)
    const part = { ...write, chunks: chunks.slice(0, at + 1), steps: earlier, end: null }
    return { kind: 'chunk', name: String(first + at), part }
  })
  const stepMoments = steps.map(({ name }, at): WriteMoment => {
    const part = { ...write, steps: steps.slice(0, at + 1), end: null }
    return { kind: 'step', name, part }
  })
  const kind = end?.status === 'waiting' ? 'pause' : 'end'
  return [...chunkMoments, ...stepMoments, ...(end === null ? [] : [{ kind, name: '', part: write } as const])]
}

/** Returns the points at which a run is tested, from the moments of a run without a crash. */
export function toCrashPoints(moments: readonly CrashMoment[]): CrashPoint[] {
  const chunks = moments.filter(({ kind }) => kind === 'chunk')
  const every = Math.ceil(chunks.length / MAX_CHUNK_CRASHES)
  return moments.flatMap((moment): CrashPoint[] => {
    const [before, after] = [
      { ...moment, side: 'before' as const },
      { ...moment, side: 'after' as const },
    ]
    if (moment.kind === 'chunk') return chunks.indexOf(moment) % every === 0 ? [after] : []
    return moment.kind === 'end' ? [before] : [before, after]
  })
}

/** Describes a point, as in `before the step "plan" is stored`. */
export function describePoint({ kind, agent, name, side }: CrashPoint): string {
  const subject = {
    step: `the ${name.endsWith('#end') ? 'end of the ' : ''}step ${JSON.stringify(toGivenName(name))} is stored`,
    chunk: `chunk ${name} is stored`,
    pause: 'the run pauses',
    end: 'the run ends',
  }[kind]
  return `${side} ${subject} (${agent})`
}
