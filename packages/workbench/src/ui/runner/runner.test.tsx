// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../manifest.ts'
import { toMessage, toTextMessage } from '../conversation/conversation.ts'
import { createInspection } from '../durable/inspection.test.fixture.ts'
import { createTestRun, createTestSpan } from '../run/test-run.test.fixture.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { createList, createRun, idOf, textOf } from '../runs/run.test.fixture.ts'
import { Runner } from './runner.tsx'

const LIST = 'GET /_workbench/api/runs'
const bench = startTestBench()

const MANIFEST: Manifest = {
  project: 'bench',
  root: '/bench',
  branch: null,
  revision: 1,
  isReloading: false,
  canAdd: false,
  testRunner: 'vitest',
  routes: [{ route: 'POST /agent/echo', kind: 'agent', description: 'Says it again' }],
  problems: [],
}

function show(address: string, manifest: Manifest = MANIFEST): void {
  bench.handlers['GET /agent/echo'] ??= () => ({ description: null, input: null, checkedBy: null })
  bench.handlers[LIST] ??= () => createList([])
  bench.open(address, <Runner name="echo" manifest={manifest} />)
}

/** Returns the JSON input from the plain field, or from the editor that replaces the field once it is loaded. */
function json(): string {
  const editor = document.querySelector('.input-code')?.shadowRoot?.querySelector('.cm-content')
  return editor?.textContent ?? screen.queryByRole<HTMLTextAreaElement>('textbox', { name: 'JSON' })?.value ?? ''
}

describe('Runner', () => {
  it('calls the agent at its public URL and shows the response', async () => {
    bench.handlers['POST /agent/echo'] = () => ({ said: 'hi' })
    show('/agents/echo')
    await screen.findByRole('tab', { name: 'JSON' })
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    expect((await screen.findByRole('tree', { name: 'Output' })).textContent).toContain('said')
    const sent = bench.requests.find(({ route }) => route === 'POST /agent/echo')
    expect(sent?.headers.get('x-sdk-caller')).toBe('workbench')
    expect(sent?.credentials).toBe('omit')
  })

  it('disables Run until the input schema is loaded', async () => {
    let start = (): void => {}
    bench.handlers['GET /agent/echo'] = () =>
      new Promise((resolve) => {
        start = () => resolve({ description: null, input: null, checkedBy: null })
      })
    show('/agents/echo')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: /^Run/ })
    expect([button.disabled, screen.queryByText(/Waiting for the input schema/) !== null]).toEqual([true, true])
    await waitFor(() => expect(bench.requests.some(({ route }) => route === 'GET /agent/echo')).toBe(true))
    start()
    await waitFor(() => expect(button.disabled).toBe(false))
    expect(screen.queryByText(/Waiting for the input schema/)).toBeNull()
  })

  it('fills in the defaults of the schema', async () => {
    const properties = { name: { type: 'string', default: 'Ada' } }
    bench.handlers['GET /agent/echo'] = () => ({
      description: null,
      input: { type: 'object', properties },
      checkedBy: 'zod',
    })
    show('/agents/echo')
    expect(await screen.findByDisplayValue('Ada')).toBeDefined()
  })

  it('aborts the call with Escape and shows that it was cancelled', async () => {
    bench.handlers['POST /agent/echo'] = () => new Promise(() => {})
    show('/agents/echo')
    await screen.findByRole('tab', { name: 'JSON' })
    fireEvent.click(screen.getByRole('button', { name: /^Run/ }))
    expect(await screen.findByText(/waiting for the response/)).toBeDefined()
    fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(await screen.findByText('cancelled')).toBeDefined()
  })

  it('shows why a schema without a JSON Schema has no form', async () => {
    bench.handlers['GET /agent/echo'] = () => ({ description: null, input: null, checkedBy: 'own' })
    show('/agents/echo')
    expect(await screen.findByText(/validator "own"/)).toBeDefined()
  })

  it('shows why an agent fails to load, and stays usable', async () => {
    const place = { line: 5, column: 1 }
    const problem = {
      route: 'POST /agent/echo',
      message: 'Expected a brace',
      file: 'src/agent/echo/index.ts',
      place,
      frame: '> 5 |',
    }
    show('/agents/echo', { ...MANIFEST, problems: [problem] })
    expect(screen.getByRole('alert').textContent).toContain('Expected a brace')
    expect(await screen.findByRole('button', { name: /^Run/ })).toBeDefined()
  })

  it('opens a run of its history, and uses its input', async () => {
    const run = createRun({ id: idOf(2), request: { headers: [], body: textOf('{"text":"old"}') } })
    bench.handlers[LIST] = () => createList([1, 2])
    bench.handlers[`GET /_workbench/api/runs/${idOf(2)}`] = () => run
    show('/agents/echo')
    const [newest] = await screen.findAllByRole('button', { name: /200/ })
    fireEvent.click(newest ?? document.body)
    expect(location.search).toBe(`?run=${idOf(2)}`)
    fireEvent.click(await screen.findByRole('button', { name: 'Use this input' }))
    await waitFor(() => expect(json()).toContain('old'))
  })

  it('links to a comparison of two runs', async () => {
    bench.handlers[LIST] = () => createList([1, 2, 3])
    show('/agents/echo')
    const boxes = await screen.findAllByRole('checkbox', { name: /^Compare/ })
    for (const box of boxes) fireEvent.click(box)
    expect(screen.getByRole('link', { name: 'Compare selected' }).getAttribute('href')).toBe(
      `/_workbench/compare?a=${idOf(2)}&b=${idOf(1)}`,
    )
  })

  it('starts with the input of a nested call of another run', async () => {
    const input = textOf('{"text":"inner"}')
    const run = createTestRun({ route: 'POST /agent/outer', spans: [createTestSpan({ id: 3, input })] })
    bench.handlers['GET /_workbench/api/runs/run-1'] = () => run
    show('/agents/echo?run=run-1&span=3')
    await waitFor(() => expect(json()).toContain('inner'))
    expect(screen.getByText('Not called yet')).toBeDefined()
  })

  it('shows that a run no longer exists', async () => {
    show('/agents/echo?run=gone')
    expect(await screen.findByText('This run no longer exists')).toBeDefined()
  })

  it('shows the conversation and the answer of the run that goes on after a reload', async () => {
    const properties = { text: { type: 'string' } }
    bench.handlers['GET /agent/echo'] = () => ({ input: { type: 'object', properties }, checkedBy: 'zod' })
    const messages = [toTextMessage('1', 'Hi'), toMessage('2', 'assistant', [{ type: 'text', text: 'Hello' }])]
    const chat = { thread: 't1', messages: [...messages, toTextMessage('3', 'And now?')] }
    sessionStorage.setItem('workbench:chat:POST /agent/echo', JSON.stringify(chat))
    const chunks = [{ text: '"still "', size: 8, epoch: 1 }]
    let found = createInspection({ chunks, run: { isStream: true, status: 'running', endedAt: null } })
    bench.handlers['GET /_workbench/api/durable-runs'] = ({ query }) => ({
      runs: query.get('thread') === 't1' ? [found.run] : [],
    })
    bench.handlers[`GET /_workbench/api/durable-runs/${found.run.id}`] = () => found
    const cancel = { route: 'DELETE /agent/echo/runs/:run', kind: 'route', description: undefined } as const
    show('/agents/echo', { ...MANIFEST, routes: [...MANIFEST.routes, cancel] })
    const log = await screen.findByRole('log', { name: 'Chat' })
    await waitFor(() => expect(log.textContent).toMatch(/Hi.*Hello.*And now\?.*still Answering/))
    found = createInspection({ chunks: [...chunks, { text: '"here"', size: 6, epoch: 1 }], run: { isStream: true } })
    await waitFor(() => expect(log.textContent).toMatch(/still here$/), { timeout: 3000 })
    expect(sessionStorage.getItem('workbench:chat:POST /agent/echo')).toContain('still here')
  })
})
