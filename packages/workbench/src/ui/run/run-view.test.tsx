// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { Run, RunModelStep } from '../../run.ts'
import { identity } from '../data/identity.ts'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { RunView } from './run-view.tsx'
import { createTestError, createTestRun, createTestSpan, createTestStep } from './test-run.test.fixture.ts'

const bench = startTestBench()

// Other tests share this process.
afterEach(() => identity.use({ kind: 'anonymous' }))

function show(run: Run): void {
  bench.open(
    '/',
    <RunView call={null} run={run} route={run.route ?? run.target} input={{ ...EMPTY_INPUT, body: '{}' }} />,
  )
}

function openTab(name: string | RegExp): void {
  fireEvent.click(screen.getByRole('tab', { name }))
}

const piece = (at: number, text: string): Run['pieces'][number] => ({ at, text, bytes: text.length, isCut: false })

const STREAM = createTestRun({
  ms: 60,
  response: { at: 5, headers: [['content-type', 'application/x-ndjson']] },
  pieces: [piece(10, '"Hel"\n'), piece(30, '"lo"\n'), piece(50, '"!"\n')],
  chunks: 3,
})

const MODEL_STEP: RunModelStep = {
  spanId: 0,
  call: 1,
  index: 0,
  provider: 'openai',
  model: 'gpt-5-mini',
  startedAt: 0,
  endedAt: 1,
  firstMs: null,
  finishReason: 'stop',
  tokens: null,
  input: { text: '[]', bytes: 2, isCut: false },
  output: null,
  toolCalls: [],
  error: null,
}

describe('RunView', () => {
  it('shows a value as a tree or as raw text', () => {
    show(createTestRun({ pieces: [piece(10, '{"greeting":"hi"}')] }))
    expect(screen.getByRole('tree', { name: 'Output' }).textContent).toContain('greeting')
    fireEvent.click(screen.getByRole('button', { name: 'Raw' }))
    expect(screen.getByText('{"greeting":"hi"}')).toBeDefined()
  })

  it('joins text chunks of a stream, and shows them one by one', () => {
    show(STREAM)
    expect(screen.getByText('Hello!')).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'Chunks' }))
    expect(screen.getByRole('tree', { name: 'Chunks' }).textContent).toContain('"lo"')
  })

  it('shows that only part of the output was stored', () => {
    show(createTestRun({ pieces: [{ at: 1, text: '{"rows":[', bytes: 5_000_000, isCut: true }] }))
    expect(screen.getByText(/of 5.0 MB/).textContent).toContain('Only part of the response was stored')
  })

  it('lists chunks with time, gap and size, and moves through them with keys', async () => {
    show(STREAM)
    openTab(/Stream/)
    const rows = await screen.findAllByRole('listitem')
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      '#1+10 ms(gap 10 ms)6 B"Hel"⏎',
      '#2+30 ms(gap 20 ms)5 B"lo"⏎',
      '#3+50 ms(gap 20 ms)4 B"!"⏎',
    ])
    const axis = screen.getByRole('slider', { name: 'Chunks over time' })
    expect(axis.getAttribute('aria-valuetext')).toBe('chunk 1 of 3, after 10 ms, 6 B')
    for (const [key, expected] of [
      ['ArrowRight', '2'],
      ['End', '3'],
      ['ArrowRight', '3'],
      ['ArrowLeft', '2'],
      ['Home', '1'],
    ] as const) {
      fireEvent.keyDown(axis, { key })
      expect(axis.getAttribute('aria-valuenow')).toBe(expected)
    }
  })

  it('shows the selected chunk as text, JSON, events and hex', () => {
    show(STREAM)
    openTab(/Stream/)
    const body = within(screen.getByRole('region', { name: 'Selected chunk' }))
    fireEvent.click(body.getByRole('button', { name: 'Hex' }))
    expect(body.getByText(/22 48 65 6c 22 0a/)).toBeDefined()
    fireEvent.click(body.getByRole('button', { name: 'JSON' }))
    expect(body.getByText('"Hel"')).toBeDefined()
    fireEvent.click(body.getByRole('button', { name: 'SSE' }))
    expect(body.getByText(/No complete event/)).toBeDefined()
  })

  it('shows the chunks passed to onChunk for the selected delimiter', async () => {
    show(STREAM)
    openTab(/Stream/)
    fireEvent.click(screen.getByRole('button', { name: 'onChunk' }))
    expect(screen.getByText('3 × onChunk')).toBeDefined()
    fireEvent.change(screen.getByLabelText(/delimiter/), { target: { value: 'l' } })
    await waitFor(() => expect(screen.getByText('3 × onChunk')).toBeDefined())
    const values = (): (string | null)[] => screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    await waitFor(() => expect(values()[0]).toContain(String.raw`"\"He"`))
  })

  it('warns if all chunks arrived within 1 ms', () => {
    show({ ...STREAM, pieces: [10, 10.1, 10.2, 10.3, 10.4].map((at) => piece(at, `${at}\n`)) })
    openTab(/Stream/)
    expect(screen.getByText(/All chunks arrived within 1 ms/)).toBeDefined()
  })

  it('seeks in the replay of the stream', async () => {
    show(STREAM)
    openTab(/Stream/)
    fireEvent.change(screen.getByLabelText('Replay position'), { target: { value: '35' } })
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
    fireEvent.click(screen.getByRole('button', { name: 'Done' }))
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(3))
  })

  it('shows nested calls, and links to a run of the nested agent with its input', () => {
    const input = { text: '{"name":"Ada"}', bytes: 14, isCut: false }
    show(createTestRun({ id: 'r7', spans: [createTestSpan({ id: 4, input })] }))
    openTab(/Trace/)
    fireEvent.click(screen.getByRole('button', { name: /greet/ }))
    const inspector = within(screen.getByRole('region', { name: 'Selected span' }))
    expect(inspector.getByRole('tree', { name: 'Input' }).textContent).toContain('Ada')
    expect(inspector.getByRole('link', { name: /Run greet/ }).getAttribute('href')).toBe(
      '/_workbench/agents/greet?run=r7&span=4',
    )
  })

  it('shows the tokens of a run and the request of each model step', () => {
    show(createTestRun({ id: 'r8', models: [createTestStep(), createTestStep({ index: 1, startedAt: 11 })] }))
    openTab(/Trace.*2/)
    expect(screen.getByText('2 model calls · 2,400 tokens in (1,600 cached), 180 out')).toBeDefined()
    fireEvent.click(screen.getAllByRole('button', { name: /mock-1/ })[0] ?? document.body)
    const inspector = within(screen.getByRole('region', { name: 'Selected model step' }))
    expect(inspector.getByRole('tree', { name: 'Request' }).textContent).toContain('messages')
    expect(inspector.getByText(/first chunk after 3.0 ms · stop/)).toBeDefined()
  })

  it('filters logs by level and text', () => {
    const log = { at: 1, fields: null, spanId: 0 }
    show(
      createTestRun({
        logs: [
          { ...log, level: 'debug', message: 'small' },
          { ...log, level: 'warn', message: 'slow', fields: '{"rows":3}' },
          { ...log, level: 'error', message: 'lost' },
        ],
      }),
    )
    openTab(/Logs/)
    fireEvent.change(screen.getByLabelText('level'), { target: { value: 'warn' } })
    expect(screen.getByText('2 of 3')).toBeDefined()
    fireEvent.change(screen.getByLabelText('filter'), { target: { value: 'ROWS' } })
    expect(screen.getByText('1 of 3')).toBeDefined()
  })

  it('shows the headers of request and response', () => {
    show(createTestRun({ request: { headers: [['x-tenant', 'a']], body: null } }))
    openTab('Headers')
    expect(within(screen.getByRole('region', { name: 'Request' })).getByText('x-tenant')).toBeDefined()
    expect(within(screen.getByRole('region', { name: 'Response' })).getByText('application/json')).toBeDefined()
  })

  it('shows code snippets for the call', () => {
    show(createTestRun())
    openTab('Code')
    expect(screen.getByText(/^curl -N -X POST http:\/\/bench.test\/agent\/echo/)).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'sdk run' }))
    expect(screen.getByText(`npx sdk run echo '{}' --stream`)).toBeDefined()
  })
})

describe('RunView of a failed run', () => {
  const envelope = (code: string, message: string): string => JSON.stringify({ error: { code, message, details: [] } })

  it('shows the error first: its message, its location and the response', () => {
    const foreign = { name: 'next', file: 'node:internal/x', line: 1, column: 1, isForeign: true }
    const thrown = createTestError()
    show(
      createTestRun({
        state: 'failed',
        status: 500,
        pieces: [piece(1, envelope('INTERNAL_SERVER_ERROR', 'Something went wrong on our side'))],
        thrown: { ...thrown, frames: [...thrown.frames, foreign, foreign] },
      }),
    )
    expect(screen.getByRole('heading', { name: 'no luck' })).toBeDefined()
    expect(screen.getByText(/throw new Error/)).toBeDefined()
    expect(screen.getByText('src/agent/echo/index.ts:5:9')).toBeDefined()
    expect(screen.getByText('2 library frames').closest('details')?.open).toBe(false)
    expect(screen.getByText(/Something went wrong on our side/)).toBeDefined()
  })

  it('keeps the view that the user chose for this run', () => {
    show(createTestRun({ state: 'failed', status: 500, pieces: [piece(1, envelope('INTERNAL', 'x'))] }))
    openTab('Output')
    expect(screen.getByRole('tab', { name: 'Output' }).getAttribute('aria-selected')).toBe('true')
  })

  it('links to the runs that failed with the same error', async () => {
    const error = createTestError()
    const group = { key: 'k1', route: null, error, count: 3, firstAt: 0, lastAt: 0, runIds: ['run-1'] }
    bench.handlers['GET /_workbench/api/errors'] = () => ({ groups: [group] })
    show(createTestRun({ state: 'failed', status: 500, thrown: error }))
    const link = await screen.findByRole('link', { name: 'The same error in 3 runs' })
    expect(link.getAttribute('href')).toBe('/_workbench/errors?key=k1')
  })

  it('lists users to run it as after a 401', async () => {
    const user = { id: 'u1', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01' }
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: true, users: [user] })
    bench.handlers['POST /_workbench/api/sessions'] = () => ({ user, token: 't', expiresAt: '2026-01-02' })
    show(
      createTestRun({ state: 'refused', status: 401, pieces: [piece(1, envelope('UNAUTHORIZED', 'sign in first'))] }),
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Ada' }))
    await screen.findByRole('button', { name: 'Ada', pressed: true })
    expect(identity.snapshot()).toMatchObject({ kind: 'user', token: 't' })
    expect(bench.requests.find(({ route }) => route.endsWith('/sessions'))?.body).toEqual({ userId: 'u1' })
  })

  it('counts down after a 429, and shows the quota', () => {
    show(
      createTestRun({
        state: 'refused',
        status: 429,
        response: {
          at: 1,
          headers: [
            ['retry-after', '7'],
            ['ratelimit-policy', '"agent";q=120;w=60'],
            ['ratelimit', '"agent";r=0;t=7'],
          ],
        },
        pieces: [piece(1, envelope('RATE_LIMITED', 'slowly'))],
      }),
    )
    expect(screen.getByText(/try again in 7 s/)).toBeDefined()
    expect(screen.getByText(/agent: 120 per 1 min 0 s, 0 left/)).toBeDefined()
  })

  it('lists the invalid fields', () => {
    const details = [{ code: 'REQUIRED', message: 'is required', source: 'body', pointer: '/name' }]
    const body = JSON.stringify({ error: { code: 'INVALID_REQUEST', message: 'bad input', details } })
    show(createTestRun({ state: 'refused', status: 400, pieces: [piece(1, body)] }))
    expect(screen.getByText('/name').closest('li')?.textContent).toBe('/name is required')
  })

  it.each([
    [[], null],
    [[MODEL_STEP], 'MODELS=record'],
  ])('copies a test that replays models only if the run called one', (models, hint) => {
    show(createTestRun({ models }))
    fireEvent.click(screen.getByRole('tab', { name: 'Code' }))
    fireEvent.click(screen.getByRole('button', { name: 'Test' }))
    expect(screen.queryByText('MODELS=record')?.textContent ?? null).toBe(hint)
    expect(document.body.textContent.includes('{ models: `${import.meta.dirname}/models` }')).toBe(hint !== null)
  })
})
