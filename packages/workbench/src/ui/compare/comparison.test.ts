import { describe, expect, it } from 'vitest'
import type { Run } from '../../run.ts'
import { createRun, textOf } from '../runs/run.test.fixture.ts'
import { outputsOf, requestOf, toDeltas } from './comparison.ts'

const JSON_TYPE = [['content-type', 'application/json']] as const

describe('toDeltas', () => {
  it('returns the differences in time, size and status', () => {
    const deltas = toDeltas(
      createRun({ ms: 100, bytes: 1000, status: 200 }),
      createRun({ ms: 150, bytes: 500, status: 200 }),
    )
    const byName = Object.fromEntries(deltas.map((delta) => [delta.name, delta]))
    expect(byName['Time']).toMatchObject({ a: '100 ms', b: '150 ms', delta: '+50 ms (+50 %)', tone: 'bad' })
    expect(byName['Size']).toMatchObject({ delta: '−500 B (−50 %)' })
    expect(byName['Status']).toMatchObject({ a: '200', b: '200', delta: '' })
    expect(byName['Caller']?.delta).toBe('')
  })

  it('does not rate a run that failed early as faster', () => {
    const done = createRun({ ms: 100, status: 200 })
    const failed = createRun({ ms: 5, status: 500, state: 'failed' })
    const toneOf = (a: Run, b: Run): string | undefined => toDeltas(a, b).find(({ name }) => name === 'Time')?.tone
    expect([toneOf(done, failed), toneOf(failed, done)]).toEqual(['quiet', 'quiet'])
    expect(toneOf(done, createRun({ ms: 5, status: 200 }))).toBe('good')
  })

  it('marks a new failure as bad and a fixed one as good', () => {
    const done = createRun({ status: 200 })
    const failed = createRun({ status: 500, state: 'failed' })
    expect(toDeltas(done, failed)[0]).toMatchObject({ name: 'Status', tone: 'bad' })
    expect(toDeltas(failed, done)[0]).toMatchObject({ tone: 'good' })
    expect(toDeltas(done, createRun({ status: 201 }))[0]).toMatchObject({ tone: 'quiet' })
  })

  it('returns no difference for unknown values', () => {
    const [, time] = toDeltas(createRun({ ms: null, state: 'running' }), createRun())
    expect(time).toMatchObject({ a: '–', delta: '' })
  })
})

describe('outputsOf', () => {
  const runWith = (text: string, type: string, isCut = false): Run =>
    createRun({
      pieces: [{ ...textOf(text), isCut, at: 1 }],
      response: { headers: [['content-type', type]], at: 1 },
    })
  const of = (text: string, type: string): unknown => outputsOf(runWith(text, type), createRun())[0]

  it('returns JSON for values and streams, and text for other outputs', () => {
    expect(of('{"a":1}', 'application/json')).toEqual({ kind: 'json', value: { a: 1 } })
    expect(of('{"a":1}\n{"a":2}\n', 'application/x-ndjson')).toEqual({ kind: 'json', value: [{ a: 1 }, { a: 2 }] })
    expect(of('[{"a":1},{"a":2},{"', 'application/json')).toEqual({ kind: 'text', text: '[{"a":1},\n{"a":2},\n{"' })
    expect(of('hello', 'text/plain')).toEqual({ kind: 'text', text: 'hello' })
    expect(outputsOf(createRun(), createRun())[1]).toEqual({ kind: 'text', text: '' })
  })

  it('truncates one output to the stored length of the other', () => {
    const [a, b] = outputsOf(runWith('hello wo', 'text/plain', true), runWith('hello world', 'text/plain'))
    expect([a, b]).toEqual([
      { kind: 'text', text: 'hello wo' },
      { kind: 'text', text: 'hello wo' },
    ])
  })
})

describe('requestOf', () => {
  it('omits headers that differ in every request', () => {
    const headers = [...JSON_TYPE, ['x-request-id', '1'], ['traceparent', '2']] as const
    expect(requestOf(createRun({ request: { headers, body: textOf('{"a":1}') } }))).toEqual({
      kind: 'json',
      value: {
        method: 'POST',
        target: '/agent/echo',
        headers: { 'content-type': 'application/json' },
        body: { a: 1 },
      },
    })
  })
})
