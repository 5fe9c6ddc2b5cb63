import type { InspectedStep, RunInspection } from '@sdk/server'
import { createTerminalStyle } from '@sdk/server/node'
import { describe, expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { toDurableLines, toDurableTable } from './format-durable-run.ts'
import { followDurableRun } from './follow-durable-run.ts'

const HOSTILE = '\u001B]0;title\u0007'
const TIME = '2026-11-18T12:00:00.000Z'

const RUNNING: RunInspection['run'] = {
  id: 'f'.repeat(32),
  agent: 'buy',
  userId: null,
  thread: null,
  isStream: true,
  status: 'running',
  epoch: 1,
  waiting: null,
  createdAt: TIME,
  endedAt: null,
  isGone: false,
  process: null,
  dueAt: null,
  stepCount: 0,
}

function createRun({ run, ...more }: Partial<Omit<RunInspection, 'run'>> & { run?: object } = {}): RunInspection {
  const empty = { input: null, output: null, error: null, state: null, steps: [], events: [], chunks: [] }
  return {
    ...empty,
    run: { ...RUNNING, ...run },
    attempts: [{ epoch: 1, process: null, keep: null, steps: 0 }],
    chunkCount: 0,
    firstChunk: 0,
    ...more,
  }
}

function createStep(name: string, more: Partial<InspectedStep> = {}): InspectedStep {
  const times = { startedAt: TIME, endedAt: '2026-11-18T12:00:00.012Z' }
  return { name, kind: 'step', attempts: 1, epoch: 1, process: 'a'.repeat(32), value: null, ...times, ...more }
}

const chunksOf = (...texts: string[]) => texts.map((text) => ({ text, size: text.length, epoch: 1 }))

/** Follows a run that is in these states when it is read. The last state stays. */
async function follow(
  states: readonly RunInspection[],
  isJson = false,
): Promise<{ lines: string[]; asked: unknown[]; failure: unknown }> {
  const [lines, asked]: [string[], unknown[]] = [[], []]
  let read = 0
  const runs = {
    list: () => Promise.resolve([]),
    find(_id: string, from?: number) {
      asked.push(from)
      return Promise.resolve(states[Math.min(read++, states.length - 1)] ?? null)
    },
    close: () => Promise.resolve(),
  }
  const out = (line = ''): void => void lines.push(line)
  const terminal = { out, err: out, write: out, paint: createTerminalStyle(false) }
  const failure = await followDurableRun(runs, 'f'.repeat(32), { isJson, terminal }).catch((error: unknown) => error)
  return { lines, asked, failure }
}

const DONE = { status: 'done', endedAt: TIME }

describe('followDurableRun', () => {
  it('prints each step, event and chunk once, until the run ends', async () => {
    const waiting = JSON.stringify({ event: 'approval', id: null, ask: null, until: TIME })
    const plan = createStep('plan', { attempts: 2 })
    const wait = createStep('approval', { kind: 'wait', endedAt: null })
    const nap = createStep('nap', { kind: 'sleep' })
    const events = [{ key: 'approval', value: { text: '{"ok":true}', size: 11 }, at: TIME }]
    const { lines, asked, failure } = await follow([
      createRun({ steps: [plan], chunks: chunksOf('1', `"${HOSTILE}"`) }),
      createRun({ steps: [plan, wait], run: { status: 'waiting', waiting } }),
      createRun({ steps: [plan, wait, nap], events, chunks: chunksOf('3'), firstChunk: 2 }),
      createRun({ steps: [plan, wait, nap], events, run: DONE }),
    ])
    expect(lines).toEqual([
      'chunk 1 1',
      expect.stringContaining('chunk 2 "'),
      'step plan 12 ms, 2 tries',
      'running',
      'wait approval',
      `waiting for approval until ${TIME}`,
      'chunk 3 3',
      'sleep nap until 2026-11-18T12:00:00.012Z',
      'event approval {"ok":true}',
      'running',
      'done',
    ])
    expect(lines.join('')).not.toContain('\u001B')
    expect(asked).toEqual([0, 2, 2, 3])
    expect(failure).toBeUndefined()
  })

  it('prints retractions, and the chunks that were produced again', async () => {
    const attempts = [...createRun().attempts, { epoch: 2, process: null, keep: 1, steps: 0 }]
    const { lines } = await follow([
      createRun({ chunks: chunksOf('1', '2') }),
      createRun({ attempts, run: { epoch: 2 } }),
      createRun({ attempts, run: { epoch: 2 }, chunks: chunksOf('"again"'), firstChunk: 1 }),
      createRun({ attempts, run: { ...DONE, epoch: 2 } }),
    ])
    expect(lines).toEqual([
      'chunk 1 1',
      'chunk 2 2',
      'running',
      'retracted: 1 chunks remain',
      'chunk 2 "again"',
      'done',
    ])
  })

  it('prints JSON lines, with truncated values marked', async () => {
    const value = { text: '{"a":', size: 9000 }
    const output = { text: '{"ok":true}', size: 11 }
    const { lines } = await follow([createRun({ steps: [createStep('plan', { value })], output, run: DONE })], true)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ type: 'step', name: 'plan', value: { truncated: '{"a":', size: 9000 } }),
      { type: 'end', status: 'done', output: { ok: true }, error: null },
    ])
  })

  it('fails if the run fails, is cancelled or does not exist', async () => {
    const error = { text: '{"code":"NOT_APPROVED","message":"no"}', size: 38 }
    const failed = await follow([createRun({ error, run: { status: 'failed', endedAt: TIME } })])
    expect(failed.failure).toMatchObject({ code: 'CALL_FAILED', message: 'NOT_APPROVED: no', exitCode: 1 })
    const text = JSON.stringify({ code: 'NOT_FOUND', message: `no city is called ${HOSTILE}` })
    const hostile = { error: { text, size: text.length }, run: { status: 'failed', endedAt: TIME } } as const
    expect(String((await follow([createRun(hostile)])).failure)).not.toContain('\u001B')
    const cancelled = await follow([createRun({ run: { status: 'cancelled', endedAt: TIME } })])
    expect(cancelled.lines).toEqual(['cancelled'])
    expect(cancelled.failure).toBeInstanceOf(Failure)
    expect((await follow([])).failure).toMatchObject({ exitCode: 2, fix: 'sdk runs --durable lists durable runs' })
  })
})

describe('toDurableLines', () => {
  it('shows the steps, chunks, events and result of a run, without control characters', () => {
    const lines = toDurableLines(
      createRun({
        input: { text: '{"item":"tea"}', size: 14 },
        steps: [
          createStep('plan', { value: { text: `"${HOSTILE}"`, size: 12 } }),
          createStep('w', { kind: 'wait', endedAt: null }),
        ],
        events: [{ key: 'approval', value: null, at: TIME }],
        chunks: chunksOf('1'),
        firstChunk: 500,
        chunkCount: 501,
        run: { thread: 't1', status: 'waiting', waiting: '{"event":"approval","id":"legal","until":null}' },
      }),
      createTerminalStyle(false),
    )
    const text = lines.join('\n')
    expect(text).not.toContain('\u001B')
    expect(lines[0]).toBe('buy  waiting for approval legal')
    for (const part of ['thread    t1', '{"item":"tea"}', 'approval timed out', '… 500 earlier chunks', '#501 1'])
      expect(text).toContain(part)
    expect(text).toMatch(/plan +step +12 +1 +1 +aaaaaaaa +"/)
  })

  it('lists runs as a table', () => {
    const [head, row] = toDurableTable([createRun({ run: { stepCount: 3 } }).run])
    expect(head).toMatch(/^durable run +time +status +agent +steps +attempts +thread$/)
    expect(row).toMatch(/^f{32} .* running +buy +3 +1$/)
  })
})
