import { useSdk } from '@sdk/react'
import { useMemo, useSyncExternalStore } from 'react'
import type { CallInput } from '../input/call-input.ts'
import { createRunnerCalls, type RunnerCallState } from './runner-call.ts'

/** The last call of a route as this page saw it, and functions to make and stop calls. */
export interface RunnerCall extends RunnerCallState {
  readonly isRunning: boolean
  /** Calls; a call that runs is stopped first. */
  send(input: CallInput): void
  cancel(): void
}

/**
 * Calls a route of any method at its public address, as any page would, and keeps the time of every chunk.
 * @example
 * const call = useCall('GET /api/v1/tasks/:id')
 * call.send({ ...EMPTY_INPUT, params: { id: '7' } })
 */
export function useRunnerCall(route: string): RunnerCall {
  const { client } = useSdk()
  const calls = useMemo(() => createRunnerCalls(route), [route])
  const state = useSyncExternalStore(calls.subscribe, calls.get)
  return {
    ...state,
    isRunning: state.state === 'running',
    send: (input) => calls.send(client, input),
    cancel: calls.cancel,
  }
}
