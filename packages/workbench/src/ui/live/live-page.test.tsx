// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { InspectedLiveList, LiveState } from '../../api.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { LivePage } from './live-page.tsx'

const ROUTE = 'GET /_workbench/api/live'
const bench = startTestBench()

function createState(more: Partial<LiveState> = {}): LiveState {
  const stats = { ticks: 0, tickMs: 0, lastTickMs: 0, reads: 0, advances: 0, heldBytes: 0 }
  return { lists: [], total: 0, subscriptions: 0, stats, ...more }
}

const LIST: InspectedLiveList = {
  id: 'g1',
  route: 'GET /api/v1/tasks',
  target: '/api/v1/tasks?done=false',
  where: { ownerId: 'ada' },
  members: 3,
  version: 1,
  reads: 1,
  woken: null,
}

it('shows the lists and totals, and follows them', async () => {
  bench.handlers[ROUTE] = () => createState({ lists: [LIST], total: 1, subscriptions: 3 })
  bench.open('/live', <LivePage />)
  const row = (await screen.findByText('done=false')).closest('tr')
  expect(row?.textContent).toContain('ownerId = "ada"')
  expect(row?.textContent).toContain('none yet')
  const woken = { by: 'tasks', at: Date.now() }
  const stats = { ticks: 4, tickMs: 6, lastTickMs: 2, reads: 1, advances: 3, heldBytes: 1200 }
  bench.handlers[ROUTE] = () => createState({ lists: [{ ...LIST, version: 5, woken }], total: 1, stats })
  await waitFor(() => expect(row?.textContent).toContain('tasks · '), { timeout: 5000 })
  const totals = within(screen.getByRole('region', { name: /^Totals/ }))
  for (const text of ['2.0 ms', '1.5 ms', '1.2 kB']) expect(totals.getByText(text)).toBeDefined()
})

it('shows how many lists are left out', async () => {
  bench.handlers[ROUTE] = () => createState({ lists: [LIST], total: 2000 })
  bench.open('/live', <LivePage />)
  expect(await screen.findByText('The first 1 of 2,000 lists are shown.')).toBeDefined()
})

it('explains how to make a list live', async () => {
  bench.handlers[ROUTE] = () => createState()
  bench.open('/live', <LivePage />)
  expect(await screen.findByText('No live subscriptions')).toBeDefined()
  expect(screen.getByText(/useAPI\('GET \/api\/v1\/tasks', \{ live: true \}\)/)).toBeDefined()
})
