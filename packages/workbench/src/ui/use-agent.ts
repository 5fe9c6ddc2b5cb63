import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useMemo, useState } from 'react'
import { createRecorder, type Recording } from './recording.ts'

/** An agent on the bench: what it was asked, and what it gave. */
export interface AgentRun {
  readonly state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly isRunning: boolean
  readonly recording: Recording
  /** The whole answer: a value, or the chunks so far. */
  readonly output: unknown
  readonly error: ApiError | null
  run(input: string): void
  cancel(): void
}

const STATES = { loading: 'running', success: 'done', error: 'failed' } as const

/** Calls an agent at its public route, as any page would, and keeps the time of every chunk. */
export function useAgent(route: `POST /agent/${string}`): AgentRun {
  const [recorder] = useState(createRecorder)
  const [total, setTotal] = useState<number | null>(null)
  const [wasCancelled, setCancelled] = useState(false)
  const { invoke, cancel, reset, status, data, error, chunks } = useAPI(route, { onChunk: recorder.add })
  // `chunks` counts up about once a frame, however many come: that is how often we look.
  // oxlint-disable-next-line react/exhaustive-deps -- the recorder changes with the count
  const arrivals = useMemo(() => recorder.snapshot(), [recorder, chunks, status])

  function run(input: string): void {
    reset()
    recorder.start()
    setCancelled(false)
    setTotal(null)
    const end = (): void => setTotal(recorder.elapsed())
    void invoke(input.trim() === '' ? undefined : JSON.parse(input)).then(end, end)
  }

  return {
    state: status === 'idle' ? (wasCancelled ? 'cancelled' : 'idle') : STATES[status],
    isRunning: status === 'loading',
    recording: { chunks: arrivals, total },
    output: data,
    error,
    run,
    cancel() {
      if (status !== 'loading') return
      setCancelled(true)
      cancel()
    },
  }
}
