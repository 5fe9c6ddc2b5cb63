import type { ApiError } from '@sdk/protocol'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { Run } from '../../run.ts'
import { useRun, useRunOf } from '../data/use-runs.ts'
import { EMPTY_INPUT, type CallInput, type FieldIssue } from '../input/call-input.ts'
import { inputOfSpan } from '../run/run-input.ts'
import { inputOf } from '../runs/input-of.ts'
import { useRunnerCall } from './runner-call.ts'

/** The state of a runner: the input for the next call, and the run that is shown. */
export type RunnerState = ReturnType<typeof useRunner>

/** Returns the state of a runner. If the URL specifies a run, and optionally a span, the input is taken from it. */
export function useRunner(route: string) {
  const call = useRunnerCall(route)
  const [input, setInput] = useState<CallInput>(EMPTY_INPUT)
  const [search, setSearch] = useSearchParams()
  const runId = search.get('run')
  const { run: named, isMissing } = useRun(runId)
  const own = useRunOf(call.requestId)
  useInitialInput(named, search.get('span'), setInput)
  const isOther = named !== undefined && named.route !== route
  const show = (next: string | null): void => setSearch(next === null ? {} : { run: next })
  return {
    call,
    input,
    setInput,
    /** The displayed run: the one in the URL, or the last call. */
    run: runId === null || isOther ? own : named,
    /** The id of the run in the URL, or null if there is none. */
    runId: isOther ? null : runId,
    isMissing: runId !== null && isMissing,
    issues: bodyIssues(call.error),
    /** Calls the route, by default with the current input. */
    send(next: CallInput = input) {
      if (runId !== null) show(null)
      call.send(next)
    },
    /** Shows a run, or the last call on this page if the id is null. */
    show,
  }
}

/**
 * Sets the input to that of the run or span with which the page was opened. Runs shown later do not change the input.
 */
export function useInitialInput(run: Run | undefined, span: string | null, setInput: (next: CallInput) => void): void {
  const isTaken = useRef(false)
  useEffect(() => {
    if (run === undefined || isTaken.current) return
    isTaken.current = true
    const taken = span === null ? inputOf(run) : inputOfSpan(run, Number(span))
    if (taken !== undefined) setInput(taken)
  }, [run, span, setInput])
}

function bodyIssues(error: ApiError | null): FieldIssue[] {
  if (error === null || (error.status !== 400 && error.status !== 422)) return []
  return error.details.flatMap(({ pointer, source = 'body', message }) =>
    source === 'body' ? [{ pointer: pointer ?? '', message }] : [],
  )
}
