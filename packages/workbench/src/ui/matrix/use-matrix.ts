import { useEffect, useState, useSyncExternalStore } from 'react'
import { useEvents } from '../data/use-events.ts'
import { identity, signInAs, type Identity } from '../data/identity.ts'
import type { CallInput } from '../input/call-input.ts'
import { say } from '../parts/toast.ts'
import { createId } from '../runner/bench-call.ts'
import { callAs } from './call-as.ts'
import { createMatrix, type MatrixState } from './matrix-run.ts'
import type { Choice } from './matrix-choice.tsx'

/** A matrix on a page. */
export interface LiveMatrix extends MatrixState {
  /** Whom each cell was called as. */
  readonly people: readonly Identity[]
  readonly by: Choice['by']
  /** The run of a request, once it is recorded. */
  runOf(requestId: string | null): string | null
  start(task: Task): void
  goOn(): void
  cancel(): void
}

interface Task {
  readonly route: string
  readonly input: CallInput
  readonly choice: Choice
}

/** Makes many calls, and finds their runs. */
export function useMatrix(): LiveMatrix {
  const [matrix] = useState(createMatrix)
  const state = useSyncExternalStore(matrix.subscribe, matrix.get)
  const [task, setTask] = useState<{ people: readonly Identity[]; by: Choice['by'] }>({ people: [], by: 'identities' })
  const [runs, setRuns] = useState<ReadonlyMap<string, string>>(new Map())
  useEvents('run', ({ requestId, id }) => {
    const isOurs = state.cells.some((cell) => cell.requestId === requestId)
    if (isOurs && !runs.has(requestId)) setRuns((now) => new Map(now).set(requestId, id))
  })
  useEffect(() => () => matrix.cancel(), [matrix])

  async function start({ route, input, choice }: Task): Promise<void> {
    const { by, who, count, concurrency } = choice
    const people = by === 'identities' ? await Promise.all(who.map(toIdentity)) : repeat(identity.snapshot(), count)
    setTask({ people, by })
    setRuns(new Map())
    matrix.start({
      count: people.length,
      // One at a time, so that their durations can be compared.
      concurrency: by === 'identities' ? 1 : concurrency,
      createId,
      call: (place, requestId, signal) =>
        callAs({ route, input, who: people[place] ?? { kind: 'anonymous' }, requestId, signal }),
    })
  }

  return {
    ...state,
    ...task,
    runOf: (requestId) => (requestId === null ? null : (runs.get(requestId) ?? null)),
    start: (next) => void start(next).catch((error: unknown) => say(`Cannot begin: ${String(error)}`, 'bad')),
    goOn: matrix.goOn,
    cancel: matrix.cancel,
  }
}

async function toIdentity(who: string): Promise<Identity> {
  return who === 'anonymous' || who === 'browser' ? { kind: who } : signInAs(who)
}

function repeat(who: Identity, count: number): Identity[] {
  return Array.from({ length: count }, () => who)
}
