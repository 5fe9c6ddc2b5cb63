import { CommonApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { EMPTY_INPUT } from '../../input/call-input.ts'
import type { RunnerCall } from '../../runner/runner-call.ts'
import { toRunFailure, type RunFailure } from './failure.ts'
import { EMPTY_RECORDING } from '../stream/recording.ts'
import { toSubject } from '../subject.ts'
import { createTestError, createTestRun } from '../test-run.test.fixture.ts'

const ENVELOPE = { error: { code: 'NOT_FOUND', message: 'nothing there', details: [] } }

function failureOf(call: RunnerCall | null, run = createTestRun({ state: 'done' })): RunFailure | null {
  const subject = toSubject(call, run.state === 'done' ? undefined : run)
  return toRunFailure({ subject, call, run, route: 'POST /agent/echo', input: EMPTY_INPUT })
}

function failedCall(error: CommonApiError, status: number): RunnerCall {
  return {
    state: 'failed',
    isRunning: false,
    recording: { ...EMPTY_RECORDING, status, total: 5 },
    output: undefined,
    error,
    requestId: 'own',
    sent: EMPTY_INPUT,
    startedAt: 0,
    send() {},
    cancel() {},
  }
}

describe('toRunFailure', () => {
  it('returns null for a successful run', () => {
    expect(failureOf(null)).toBeNull()
  })

  it('reads the envelope of an error response', () => {
    const text = JSON.stringify(ENVELOPE)
    const pieces = [{ at: 1, text, bytes: text.length, isCut: false }]
    const run = createTestRun({ state: 'refused', status: 404, pieces })
    expect(failureOf(null, run)).toMatchObject({ message: 'nothing there', code: 'NOT_FOUND', envelope: ENVELOPE })
  })

  it.each(['', 'data: '])('reads the envelope at the end of a failed stream, after %j', (prefix) => {
    const pieces = ['{"n":1}\n', `${prefix}${JSON.stringify(ENVELOPE)}\n\n`].map((text, at) => ({
      at,
      text,
      bytes: text.length,
      isCut: false,
    }))
    expect(failureOf(null, createTestRun({ state: 'failed', pieces }))?.envelope).toEqual(ENVELOPE)
  })

  it('prefers the thrown error to the response', () => {
    const run = createTestRun({ state: 'failed', status: 500, thrown: createTestError({ message: 'no luck' }) })
    expect(failureOf(null, run)?.message).toBe('no luck')
  })

  it('uses the error of the client if there was no response', () => {
    const failure = failureOf(failedCall(new CommonApiError('NETWORK_ERROR', 'The server cannot be reached'), 0))
    expect(failure).toMatchObject({ message: 'The server cannot be reached', code: 'NETWORK_ERROR', envelope: null })
  })

  it('does not use the error of one call for another run', () => {
    const call = failedCall(new CommonApiError('NETWORK_ERROR', 'The server cannot be reached'), 0)
    expect(failureOf(call, createTestRun({ state: 'failed', status: 500, error: 'HTTP 500' }))?.message).toBe(
      'HTTP 500',
    )
  })
})
