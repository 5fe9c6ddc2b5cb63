// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { DurableRunList } from '../../api.ts'
import { startTestBench, type PageRequest } from '../runs/page.test.fixture.tsx'
import { DurablePage } from './durable-page.tsx'
import { createInspection } from './inspection.test.fixture.ts'

const LIST = 'GET /_workbench/api/durable-runs'
const bench = startTestBench()

function createList(more: Partial<DurableRunList> = {}): DurableRunList {
  return { isStored: true, runs: [], hasMore: false, schedules: [], ...more }
}

const runOf = (id: string, more = {}) => createInspection({ run: { id: id.repeat(32), ...more } }).run

it('lists durable runs and filters them in the address', async () => {
  const requests: string[] = []
  bench.handlers[LIST] = ({ query }: PageRequest) => {
    requests.push(query.toString())
    return createList({ runs: [runOf('b', { thread: 't1', status: 'waiting', endedAt: null }), runOf('a')] })
  }
  bench.open('/runs/durable', <DurablePage />)
  await screen.findByRole('link', { name: 'b'.repeat(32) })
  expect(screen.getByRole('link', { name: 'Durable' }).getAttribute('aria-current')).toBe('page')
  // The app has no durable agent with this name, so the unfinished run waits for a process that has it.
  expect(screen.getAllByText('not in this app')).toHaveLength(1)
  fireEvent.change(screen.getByRole('combobox', { name: 'Status' }), { target: { value: 'waiting' } })
  await waitFor(() => expect(requests.at(-1)).toContain('status=waiting'))
  expect(location.search).toBe('?status=waiting')
  fireEvent.click(screen.getByRole('link', { name: 't1' }))
  await waitFor(() => expect(requests.at(-1)).toContain('thread=t1'))
})

it('opens the run that is selected with the keyboard', async () => {
  bench.handlers[LIST] = () => createList({ runs: [runOf('b'), runOf('a')] })
  bench.open('/runs/durable', <DurablePage />)
  await screen.findByRole('link', { name: 'b'.repeat(32) })
  for (const key of ['j', 'j', 'Enter']) fireEvent.keyDown(document.body, { key })
  expect(location.pathname).toBe(`/_workbench/runs/durable/${'a'.repeat(32)}`)
})

it('shows the next ticks of schedules', async () => {
  // In the past, since the page shows no date for times of the current day.
  const next = ['2026-01-19T07:00:00.000Z', '2026-01-20T07:00:00.000Z']
  const schedules = [
    { agent: 'digest', schedule: '0 7 * * * UTC', next },
    { agent: 'once', schedule: '0 0 30 2 * UTC', next: [] },
  ]
  bench.handlers[LIST] = () => createList({ schedules })
  bench.open('/runs/durable', <DurablePage />)
  const card = await screen.findByRole('region', { name: 'Schedules' })
  expect(card.textContent).toContain('0 7 * * * UTC')
  expect(card.textContent).toContain(new Date(next[1] ?? '').toLocaleDateString())
  expect(card.textContent).toContain('never')
})

it('loads more runs', async () => {
  const limits: (string | null)[] = []
  bench.handlers[LIST] = ({ query }: PageRequest) => {
    limits.push(query.get('limit'))
    return createList({ runs: [runOf('a')], hasMore: true })
  }
  bench.open('/runs/durable', <DurablePage />)
  fireEvent.click(await screen.findByRole('button', { name: 'Load more' }))
  await waitFor(() => expect(limits.at(-1)).toBe('200'))
})

it('explains why there are no runs', async () => {
  bench.handlers[LIST] = () => createList({ isStored: false })
  bench.open('/runs/durable', <DurablePage />)
  expect(await screen.findByText('No durable agents yet')).toBeDefined()
})

it('explains that a filter matches no runs', async () => {
  bench.handlers[LIST] = () => createList()
  bench.open('/runs/durable?thread=t2', <DurablePage />)
  expect(await screen.findByText('No matching durable runs')).toBeDefined()
})
