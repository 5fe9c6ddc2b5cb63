import { describe, expect, it } from 'vitest'
import { EMPTY_INPUT } from '../input/call-input.ts'
import type { RunnerCall } from '../runner/runner-call.ts'
import { createResponseRecorder } from './stream/recording.ts'
import { toSubject } from './subject.ts'
import { createTestRun } from './test-run.test.fixture.ts'

function callOf(change: Partial<RunnerCall> = {}): RunnerCall {
  const recorder = createResponseRecorder()
  recorder.head(200, [])
  recorder.add(new TextEncoder().encode('seen'))
  recorder.end()
  return {
    state: 'done',
    isRunning: false,
    recording: recorder.snapshot(),
    output: 'seen',
    error: null,
    requestId: 'request-1',
    sent: EMPTY_INPUT,
    startedAt: 0,
    send() {},
    cancel() {},
    ...change,
  }
}

const piece = { at: 1, text: 'kept', bytes: 4, isCut: false }

describe('toSubject', () => {
  it('returns the recording of the page while the call is running', () => {
    const call = callOf({ state: 'running', isRunning: true })
    expect(toSubject(call, createTestRun({ state: 'running', ms: null })).recording).toBe(call.recording)
  })

  it('returns the recording of the server after the call has ended, and keeps that of the page', () => {
    const call = callOf()
    const run = createTestRun({ pieces: [piece] })
    const subject = toSubject(call, run)
    expect(subject.recording.chunks).toMatchObject([{ at: 1, bytes: 4 }])
    expect([subject.seen, subject.output]).toEqual([call.recording, 'seen'])
    expect(subject.fullest).toBe(subject.recording)
  })

  it('uses the complete body of the page if the server stored only part of it', () => {
    const call = callOf()
    expect(toSubject(call, createTestRun({ pieces: [{ ...piece, isCut: true }] })).fullest).toBe(call.recording)
  })

  it('ignores the call if it belongs to another run', () => {
    const subject = toSubject(callOf({ requestId: 'other' }), createTestRun({ pieces: [piece] }))
    expect([subject.key, subject.seen, subject.output]).toEqual(['request-1', undefined, undefined])
  })

  it('returns the state "idle" before the first call', () => {
    expect(toSubject(callOf({ state: 'idle' }), undefined).state).toBe('idle')
  })
})
