// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { startTestBench } from './page.test.fixture.tsx'
import { createList, createRun, createSummary, idOf, textOf } from './run.test.fixture.ts'
import { RunPage } from './run-page.tsx'

const bench = startTestBench()

describe('RunPage', () => {
  it('shows a run, and a link to run it again', async () => {
    const identity = { userId: 'u1', email: 'ada@example.com', name: 'Ada' }
    bench.handlers['GET /_workbench/api/runs/000002'] = () =>
      createRun({ id: idOf(2), identity, revision: 4, traceId: 'abc', requestId: 'request-9' })
    bench.open('/runs/000002', <RunPage id={idOf(2)} />)
    const again = await screen.findByRole('link', { name: 'Run again' })
    expect(again.getAttribute('href')).toBe('/_workbench/agents/echo?run=000002')
    const facts = document.querySelector('dl')?.textContent
    for (const fact of ['ada@example.com', 'Revision4', 'Traceabc', 'Requestrequest-9', 'Callercurl']) {
      expect(facts).toContain(fact)
    }
  })

  it('navigates to the adjacent runs of the filtered list', async () => {
    bench.handlers['GET /_workbench/api/runs/000002'] = () => createRun({ id: idOf(2) })
    bench.handlers['GET /_workbench/api/runs'] = () => createList([1, 2, 3])
    bench.open('/runs/000002?caller=curl', <RunPage id={idOf(2)} />)
    const newer = await screen.findByRole('link', { name: 'Newer run' })
    expect(newer.getAttribute('href')).toBe('/_workbench/runs/000003?caller=curl')
    fireEvent.keyDown(document.body, { key: 'j' })
    expect(location.pathname + location.search).toBe('/_workbench/runs/000001?caller=curl')
  })

  it('pins the run', async () => {
    bench.handlers['GET /_workbench/api/runs/000001'] = () => createRun()
    bench.handlers['POST /_workbench/api/runs/000001/pin'] = () => createSummary({ isPinned: true })
    bench.open('/runs/000001', <RunPage id={idOf(1)} />)
    fireEvent.click(await screen.findByRole('button', { name: 'Pin' }))
    expect(await screen.findByRole('button', { name: 'Pinned', pressed: true })).toBeDefined()
    expect(bench.requests.at(-1)?.body).toEqual({ isPinned: true })
  })

  it('shows the frames of a socket with their senders', async () => {
    const pieces = [
      { ...textOf('{"text":"hi"}'), at: 3, from: 'client' as const },
      { ...textOf('{"text":"hello"}'), at: 5, from: 'server' as const },
    ]
    const closed = { code: 1000, reason: 'bye' }
    bench.handlers['GET /_workbench/api/runs/000001'] = () =>
      createRun({ route: '/ws/chat', kind: 'socket', method: 'GET', target: '/ws/chat', pieces, chunks: 2, closed })
    bench.open('/runs/000001', <RunPage id={idOf(1)} />)
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
    expect(screen.getByLabelText('sent')).toBeDefined()
    expect(screen.getByLabelText('received')).toBeDefined()
    expect(document.querySelector('dl')?.textContent).toContain('1000 bye')
  })

  it('shows that a run does not exist', async () => {
    bench.open('/runs/000009', <RunPage id={idOf(9)} />)
    expect(await screen.findByText('Run not found')).toBeDefined()
  })
})
