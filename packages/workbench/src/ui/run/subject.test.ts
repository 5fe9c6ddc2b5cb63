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
  it('shows what the page sees while the call runs, though the record has begun', () => {
    const call = callOf({ state: 'running', isRunning: true })
    expect(toSubject(call, createTestRun({ state: 'running', ms: null })).recording).toBe(call.recording)
  })

  it('shows the record as soon as it is over, and keeps what the page saw beside it', () => {
    const call = callOf()
    const run = createTestRun({ pieces: [piece] })
    const subject = toSubject(call, run)
    expect(subject.recording.chunks).toMatchObject([{ at: 1, bytes: 4 }])
    expect([subject.seen, subject.output]).toEqual([call.recording, 'seen'])
    expect(subject.fullest).toBe(subject.recording)
  })

  it('takes the whole body from the page where the record has a part', () => {
    const call = callOf()
    expect(toSubject(call, createTestRun({ pieces: [{ ...piece, isCut: true }] })).fullest).toBe(call.recording)
  })

  it('shows another run than that of the call by its record alone', () => {
    const subject = toSubject(callOf({ requestId: 'other' }), createTestRun({ pieces: [piece] }))
    expect([subject.key, subject.seen, subject.output]).toEqual(['request-1', undefined, undefined])
  })

  it('is idle before the first call', () => {
    expect(toSubject(callOf({ state: 'idle' }), undefined).state).toBe('idle')
  })
})
