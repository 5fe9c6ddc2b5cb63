import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useMemo, useState } from 'react'
import type { CallInput } from '../input/call-input.ts'
import { createRecorder, type Recording } from '../run/recording.ts'

/** A route on the bench: what it was asked, and what it gave, as this page saw it. */
export interface BenchCall {
  readonly state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly isRunning: boolean
  readonly recording: Recording
  /** The whole answer: a value, or the chunks so far. */
  readonly output: unknown
  readonly error: ApiError | null
  /** The id that the last request was sent with, by which its run can be found; null before the first. */
  readonly requestId: string | null
  send(input: CallInput): void
  cancel(): void
}

const STATES = { loading: 'running', success: 'done', error: 'failed' } as const

/** Calls a route at its public address, as any page would, and keeps the time of every chunk. */
export function useCall(route: string): BenchCall {
  const [recorder] = useState(createRecorder)
  const [total, setTotal] = useState<number | null>(null)
  const [wasCancelled, setCancelled] = useState(false)
  const [requestId, setRequestId] = useState<string | null>(null)
  const called = useAPI(route as `POST /agent/${string}`, { onChunk: recorder.add })
  const { invoke, cancel, reset, status, data, error, chunks } = called
  // `chunks` counts up about once a frame, however many come: that is how often we look.
  // oxlint-disable-next-line react/exhaustive-deps -- the recorder changes with the count
  const arrivals = useMemo(() => recorder.snapshot(), [recorder, chunks, status])

  function send({ body, headers }: CallInput): void {
    const id = crypto.randomUUID()
    reset()
    recorder.start()
    setCancelled(false)
    setTotal(null)
    setRequestId(id)
    const end = (): void => setTotal(recorder.elapsed())
    const own = { headers: { ...Object.fromEntries(headers), 'x-request-id': id } }
    void invoke(body.trim() === '' ? undefined : JSON.parse(body), own).then(end, end)
  }

  return {
    state: status === 'idle' ? (wasCancelled ? 'cancelled' : 'idle') : STATES[status],
    isRunning: status === 'loading',
    recording: { chunks: arrivals, total },
    output: data,
    error,
    requestId,
    send,
    cancel() {
      if (status !== 'loading') return
      setCancelled(true)
      cancel()
    },
  }
}
