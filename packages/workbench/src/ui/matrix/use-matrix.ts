import { useEffect, useState, useSyncExternalStore } from 'react'
import { useEvents } from '../data/use-events.ts'
import { identity, signInAs, type Identity } from '../data/identity.ts'
import type { CallInput } from '../input/call-input.ts'
import { showToast } from '../components/toast.ts'
import { createRequestId } from '../runner/runner-call.ts'
import { callAs } from './call-as.ts'
import { createMatrix, type MatrixState } from './matrix-run.ts'
import type { MatrixSettings } from './matrix-choice.tsx'

/** A matrix on a page. */
export interface LiveMatrix extends MatrixState {
  /** Whom each cell was called as. */
  readonly identities: readonly Identity[]
  readonly by: MatrixSettings['by']
  /** The run of a request, once it is recorded. */
  runOf(requestId: string | null): string | null
  start(task: MatrixTask): void
  resume(): void
  cancel(): void
}

interface MatrixTask {
  readonly route: string
  readonly input: CallInput
  readonly choice: MatrixSettings
}

/** Makes many calls, and finds their runs. */
export function useMatrix(): LiveMatrix {
  const [matrix] = useState(createMatrix)
  const state = useSyncExternalStore(matrix.subscribe, matrix.get)
  const [task, setTask] = useState<{ identities: readonly Identity[]; by: MatrixSettings['by'] }>({
    identities: [],
    by: 'identities',
  })
  const [runs, setRuns] = useState<ReadonlyMap<string, string>>(new Map())
  useEvents('run', ({ requestId, id }) => {
    const isOurs = state.cells.some((cell) => cell.requestId === requestId)
    if (isOurs && !runs.has(requestId)) setRuns((now) => new Map(now).set(requestId, id))
  })
  useEffect(() => () => matrix.cancel(), [matrix])

  async function start({ route, input, choice }: MatrixTask): Promise<void> {
    const { by, who, count, concurrency } = choice
    const identities = by === 'identities' ? await Promise.all(who.map(toIdentity)) : repeat(identity.snapshot(), count)
    setTask({ identities, by })
    setRuns(new Map())
    matrix.start({
      count: identities.length,
      // One at a time, so that their durations can be compared.
      concurrency: by === 'identities' ? 1 : concurrency,
      createId: createRequestId,
      call: (index, requestId, signal) =>
        callAs({ route, input, who: identities[index] ?? { kind: 'anonymous' }, requestId, signal }),
    })
  }

  return {
    ...state,
    ...task,
    runOf: (requestId) => (requestId === null ? null : (runs.get(requestId) ?? null)),
    start: (next) => void start(next).catch((error: unknown) => showToast(`Cannot begin: ${String(error)}`, 'bad')),
    resume: matrix.resume,
    cancel: matrix.cancel,
  }
}

async function toIdentity(who: string): Promise<Identity> {
  return who === 'anonymous' || who === 'browser' ? { kind: who } : signInAs(who)
}

function repeat(who: Identity, count: number): Identity[] {
  return Array.from({ length: count }, () => who)
}
