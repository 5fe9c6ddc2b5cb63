// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from '../../manifest.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { createList, createSummary } from '../runs/run.test.fixture.ts'
import { Home } from './home.tsx'

const bench = startTestBench()

const MANIFEST: Manifest = {
  project: 'bench',
  root: '/bench',
  branch: null,
  revision: 1,
  isReloading: false,
  canAdd: true,
  testRunner: 'vitest',
  problems: [],
  routes: [{ route: 'POST /agent/echo', kind: 'agent', description: 'Says it again' }],
}

beforeEach(() => {
  localStorage.clear()
  bench.handlers['GET /healthz'] = () => ({ status: 'ok' })
  bench.handlers['GET /readyz'] = () => Response.json({ status: 'failing', failed: ['database'] }, { status: 503 })
})

describe('Home', () => {
  it('shows the agents with their statistics, the last runs, and failing checks', async () => {
    const failed = createSummary({ id: '000002', state: 'failed', status: 500, ms: 40 })
    bench.handlers['GET /_workbench/api/runs'] = () => ({ ...createList([1]), runs: [failed, createSummary()] })
    bench.open('/', <Home manifest={MANIFEST} />)
    expect(await screen.findByText('500')).toBeTruthy()
    const [agents, runs] = screen.getAllByRole('table')
    expect(agents?.textContent).toContain('Says it again')
    expect(agents?.textContent).toContain('12 ms1 of 2')
    expect(
      within(runs ?? document.body)
        .getAllByRole('link')
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/_workbench/runs/000002', '/_workbench/runs/000001'])
    expect(await screen.findByText('Failing: database')).toBeTruthy()
  })

  it('updates the health status as soon as the server disconnects or reconnects', async () => {
    bench.handlers['GET /_workbench/api/runs'] = () => createList([1])
    bench.open('/', <Home manifest={MANIFEST} />)
    bench.turn('open')
    const card = screen.getByRole('region', { name: 'Health' })
    expect(await within(card).findByText('ok')).toBeTruthy()
    const isDead = (): never => {
      throw new TypeError('Failed to fetch')
    }
    bench.handlers['GET /healthz'] = bench.handlers['GET /readyz'] = isDead
    bench.turn('error')
    // The status changes before the next poll.
    await waitFor(() => expect(within(card).getAllByText('no response')).toHaveLength(2))
    bench.handlers['GET /healthz'] = bench.handlers['GET /readyz'] = () => ({ status: 'ok' })
    bench.turn('open')
    await waitFor(() => expect(within(card).getAllByText('ok')).toHaveLength(2))
  })

  it('marks and stores completed steps, and hides the checklist on request', async () => {
    bench.handlers['GET /_workbench/api/runs'] = () => createList([1])
    bench.open('/', <Home manifest={MANIFEST} />)
    expect(await screen.findByText('1 of 2')).toBeTruthy()
    expect(localStorage.getItem('workbench:checklist:/bench')).toBe('["agent"]')
    fireEvent.click(screen.getByRole('button', { name: 'Hide the checklist' }))
    expect(screen.queryByText('Get started')).toBeNull()
  })

  it('adds the first agent when the button is clicked', async () => {
    bench.handlers['POST /_workbench/api/agents'] = () => ({ files: ['src/agent/hello/index.ts'] })
    bench.open('/', <Home manifest={{ ...MANIFEST, routes: [] }} />)
    expect(screen.getByText('npx sdk add agent hello')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: /Add the agent/ }))
    await expect.poll(() => location.pathname).toBe('/_workbench/agents/hello')
    expect(bench.requests.find(({ route }) => route.startsWith('POST'))?.body).toEqual({ name: 'hello' })
  })

  it('shows files that fail to load, with the location of the error', () => {
    const problem = {
      route: 'POST /agent/echo',
      message: 'Unexpected end of file',
      file: 'src/agent/echo/index.ts',
      place: { line: 4, column: 2 },
      frame: '> 4 | handler: (',
    }
    bench.open('/', <Home manifest={{ ...MANIFEST, problems: [problem] }} />)
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toContain('Unexpected end of file')
    expect(alert.textContent).toContain('src/agent/echo/index.ts:4:2')
    expect(screen.getByRole('img', { name: 'failed to load' })).toBeTruthy()
  })
})
