// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { createList, createSummary, idOf } from '../runs/run.test.fixture.ts'
import { createGroup } from './error-group.test.fixture.ts'
import { ErrorsPage } from './errors-page.tsx'

const ERRORS = 'GET /_workbench/api/errors'
const bench = startTestBench()

describe('ErrorsPage', () => {
  it('shows errors with their counts, and opens one with its code and runs', async () => {
    bench.handlers[ERRORS] = () => ({ groups: [createGroup(), createGroup({ key: 'key-2', count: 9 })] })
    bench.handlers['GET /_workbench/api/runs'] = () => createList([1, 2])
    bench.open('/errors', <ErrorsPage />)
    const [card] = await screen.findAllByRole('button', { name: 'TypeError boom' })
    expect(screen.getByText('9 ×')).toBeDefined()
    expect(screen.queryByText(/throw new TypeError/)).toBeNull()
    if (card !== undefined) fireEvent.click(card)
    expect(screen.getByText(/throw new TypeError/)).toBeDefined()
    expect(location.search).toBe('?key=key-1')
    expect(screen.getByRole('link', { name: '000002' }).getAttribute('href')).toBe('/_workbench/runs/000002')
  })

  it('opens the error in the URL and filters the list', async () => {
    bench.handlers[ERRORS] = () => ({ groups: [createGroup()] })
    bench.handlers['GET /_workbench/api/runs'] = () => createList([])
    bench.open('/errors?key=key-1', <ErrorsPage />)
    await screen.findByText(/throw new TypeError/)
    fireEvent.change(screen.getByLabelText('Search errors'), { target: { value: 'other' } })
    expect(screen.getByText('No matching errors')).toBeDefined()
    expect(location.search).toBe('?search=other&key=key-1')
  })

  it('shows an empty state until a run fails', async () => {
    let groups = [createGroup()].slice(1)
    bench.handlers[ERRORS] = () => ({ groups })
    bench.handlers['GET /_workbench/api/runs'] = () => createList([])
    bench.open('/errors', <ErrorsPage />)
    await screen.findByText('No errors')
    groups = [createGroup()]
    bench.emit('run', createSummary({ id: idOf(1), state: 'failed', status: 500 }))
    expect(await screen.findByRole('button', { name: 'TypeError boom' })).toBeDefined()
  })

  it('does not fetch the runs again after it is unmounted', async () => {
    bench.handlers[ERRORS] = () => ({ groups: [] })
    bench.handlers['GET /_workbench/api/runs'] = () => createList([])
    bench.open('/errors', <ErrorsPage />)
    await screen.findByText('No errors')
    vi.useFakeTimers()
    bench.emit('run', createSummary({ id: idOf(1), state: 'failed', status: 500 }))
    cleanup()
    bench.requests.length = 0
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    expect(bench.requests.map(({ route }) => route)).not.toContain('GET /_workbench/api/runs')
  })
})
