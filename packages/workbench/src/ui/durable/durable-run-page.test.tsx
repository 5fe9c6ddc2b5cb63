// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { RunInspection } from '../../api.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { DurableRunPage } from './durable-run-page.tsx'
import { createTestError } from '../run/test-run.test.fixture.ts'
import { createRun } from '../runs/run.test.fixture.ts'
import { createInspection, createStep, timeAt } from './inspection.test.fixture.ts'

const ID = 'f'.repeat(32)
const EVENT = 'POST /agent/buy/runs/:run/events/approval'
const bench = startTestBench()
let shown: RunInspection

const MANIFEST = {
  project: 'bench',
  root: '/bench',
  branch: null,
  revision: 1,
  isReloading: false,
  canAdd: false,
  testRunner: 'vitest',
  routes: ['POST /agent/buy', 'DELETE /agent/buy/runs/:run', EVENT].map((route) => ({ route, kind: 'route' })),
  problems: [],
}

const OPENAPI = {
  paths: {
    '/agent/buy/runs/{run}/events/approval': {
      post: {
        summary: EVENT,
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
            },
          },
        },
      },
    },
  },
}

beforeEach(() => {
  shown = createInspection()
  bench.handlers['GET /_workbench/api/manifest'] = () => MANIFEST
  bench.handlers['GET /api/v1/openapi.json'] = () => OPENAPI
  bench.handlers[`GET /_workbench/api/durable-runs/${ID}`] = () => shown
  bench.handlers['POST /_workbench/api/sessions'] = () => ({ user: { id: 'ada' }, token: 'secret', expiresAt: '' })
  bench.handlers['POST /_workbench/api/sessions/end'] = () => ({ ended: true })
})

function waitingRun(): RunInspection {
  const waiting = { event: 'approval', id: 'legal', ask: { cost: 7 }, until: timeAt(9e6) }
  const run = { status: 'waiting', userId: 'ada', waiting: JSON.stringify(waiting), endedAt: null } as const
  return createInspection({ run, steps: [createStep('approval', [0, null], { kind: 'wait' })] })
}

it('shows the steps, and the value of the selected one', async () => {
  const long = { text: '"xx', size: 9_000 }
  const value = { text: '{"sources":2}', size: 13 }
  const steps = [createStep('plan', [0, 10], { value, attempts: 2 }), createStep('read', [10, 900], { value: long })]
  shown = createInspection({ steps, run: { stepCount: 1_500 } })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  await screen.findByRole('tree', { name: 'Value' })
  expect(screen.getByRole('button', { name: /^plan ×2/ }).getAttribute('aria-pressed')).toBe('true')
  fireEvent.click(screen.getByRole('button', { name: /^read/ }))
  expect(screen.getByText(/Truncated: the first 3 of 9,000/)).toBeDefined()
  expect(screen.getByText(/Only the newest 2 steps/)).toBeDefined()
})

it('shows the state of the thread', async () => {
  shown = createInspection({ run: { userId: 'ada', thread: 't1' }, state: { text: '["tea"]', size: 7 } })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  fireEvent.click(await screen.findByRole('tab', { name: 'Thread' }))
  expect(screen.getByRole('tree', { name: 'State' }).textContent).toContain('tea')
})

it('sends an event as the owner of the run, and marks what the schema rejects', async () => {
  shown = waitingRun()
  let body: unknown = {
    error: {
      code: 'INVALID_REQUEST',
      message: 'no',
      details: [{ code: 'X', pointer: '/ok', message: 'must be true', source: 'body' }],
    },
  }
  const path = `POST /agent/buy/runs/${ID}/events/approval`
  bench.handlers[path] = () => (body === null ? null : Response.json(body, { status: 400 }))
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  const form = await screen.findByRole('form', { name: 'Event approval' })
  fireEvent.click(within(form).getByRole('button', { name: 'Send event' }))
  await within(form).findAllByText(/must be true/)
  body = null
  fireEvent.click(within(form).getByRole('checkbox', { name: /^ok/ }))
  fireEvent.click(within(form).getByRole('button', { name: 'Send event' }))
  await waitFor(() => expect(bench.requests.filter(({ route }) => route === path)).toHaveLength(2))
  const sent = bench.requests.findLast(({ route }) => route === path)
  expect(sent?.body).toEqual({ ok: true })
  expect(sent?.query.get('id')).toBe('legal')
  expect(sent?.headers.get('authorization')).toBe('Bearer secret')
  await waitFor(() => expect(bench.requests.some(({ route }) => route.endsWith('/sessions/end'))).toBe(true))
})

it('cancels a run, and starts it again with the same input and thread', async () => {
  const input = { text: '{"item":"tea"}', size: 14 }
  shown = { ...waitingRun(), input, run: { ...waitingRun().run, thread: 't1' } }
  bench.handlers[`DELETE /agent/buy/runs/${ID}`] = () => null
  bench.handlers['POST /agent/buy'] = () => ({ id: 'e'.repeat(32) })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel run' }))
  await waitFor(() => expect(bench.requests.some(({ route }) => route.startsWith('DELETE /agent/'))).toBe(true))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Run again' }).hasAttribute('disabled')).toBe(false))
  fireEvent.click(screen.getByRole('button', { name: 'Run again' }))
  await waitFor(() => expect(location.pathname).toBe(`/_workbench/runs/durable/${'e'.repeat(32)}`))
  const sent = bench.requests.find(({ route }) => route === 'POST /agent/buy')
  expect(sent?.body).toEqual({ item: 'tea' })
  expect([sent?.headers.get('prefer'), sent?.headers.get('run-thread')]).toEqual(['respond-async', 't1'])
})

it('does not offer to repeat a truncated input', async () => {
  shown = createInspection({ input: { text: '"x', size: 100_000 } })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  expect((await screen.findByRole('button', { name: 'Run again' })).hasAttribute('disabled')).toBe(true)
})

it('notes that no process knows the agent of a run', async () => {
  shown = createInspection({ run: { agent: 'gone', status: 'queued', epoch: 0, endedAt: null }, attempts: [] })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  await waitFor(() =>
    expect(screen.getByRole('note').textContent).toMatch(/no durable agent named gone.*continues when/),
  )
  expect(screen.queryByRole('button', { name: 'Cancel run' })).toBeNull()
  expect(screen.getByText('Not started yet')).toBeDefined()
})

it('shows the error that the handler of a recorded run threw', async () => {
  const error = { text: '{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}', size: 66 }
  shown = createInspection({ error, run: { status: 'failed' } })
  const closed = createTestError({ name: 'TypeError', message: 'the ledger is closed' })
  const frames = [{ name: 'book', file: 'src/book.ts', line: 7, column: 3, isForeign: false }]
  const thrown = createTestError({ message: 'cannot book', frames, cause: closed })
  const recorded = createRun({ id: 'r1', state: 'failed', error: 'Error: cannot book', durableRun: ID })
  bench.handlers['GET /_workbench/api/runs'] = () => ({ runs: [recorded], hasMore: false, callers: [], total: 1 })
  bench.handlers['GET /_workbench/api/runs/r1'] = () => ({ ...recorded, thrown })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  const problem = await screen.findByRole('region', { name: 'Error' })
  await within(problem).findByRole('heading', { name: 'cannot book' })
  expect(problem.textContent).toMatch(/Error · INTERNAL_SERVER_ERROR.*src\/book.ts:7.*Caused by TypeError: the ledger/)
  expect(bench.requests.find(({ route }) => route === 'GET /_workbench/api/runs')?.query.get('durableRun')).toBe(ID)
})

it('shows the error of a failed run and its events', async () => {
  const error = { text: '{"code":"EVENT_TIMEOUT","message":"too late"}', size: 45 }
  const events = [{ key: 'approval', value: null, at: timeAt(5) }]
  shown = createInspection({ error, events, run: { status: 'failed' } })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  const problem = await screen.findByRole('region', { name: 'Error' })
  expect(problem.textContent).toBe('too lateEVENT_TIMEOUT')
  fireEvent.click(screen.getByRole('tab', { name: /^Events/ }))
  expect(screen.getByText('Timed out')).toBeDefined()
})

it('says that a run does not exist', async () => {
  bench.handlers[`GET /_workbench/api/durable-runs/${ID}`] = () =>
    Response.json({ error: { code: 'NOT_FOUND', message: 'no' } }, { status: 404 })
  bench.open(`/runs/durable/${ID}`, <DurableRunPage id={ID} />)
  expect(await screen.findByText('Durable run not found')).toBeDefined()
})
