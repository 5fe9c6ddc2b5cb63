// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { startTestBench, type PageRequest } from './page.test.fixture.tsx'
import { createList, createSummary, idOf } from './run.test.fixture.ts'
import { RunsPage } from './runs-page.tsx'

const LIST = 'GET /_workbench/api/runs'
const bench = startTestBench()

function rows(): string[] {
  return screen.queryAllByRole('checkbox').map((box) => box.getAttribute('aria-label')?.slice(-6) ?? '')
}

function selected(): string | undefined {
  return document.querySelector('[aria-current=true]')?.getAttribute('href')?.slice(-6)
}

function press(key: string): void {
  fireEvent.keyDown(document.body, { key })
}

describe('RunsPage', () => {
  it('shows runs, newest first, with their results', async () => {
    const failed = createSummary({ id: idOf(2), state: 'failed', status: 500, error: 'boom', chunks: 3, ms: 1500 })
    bench.handlers[LIST] = () => ({ ...createList([1]), runs: [failed, createSummary()] })
    bench.open('/runs', <RunsPage />)
    const table = await screen.findByRole('table', { name: 'Runs, newest first' })
    await waitFor(() => expect(rows()).toEqual([idOf(2), idOf(1)]))
    const [head, first] = within(table).getAllByRole('row')
    expect(within(head ?? table).getAllByRole('columnheader')).toHaveLength(10)
    expect(within(first ?? table).getAllByRole('cell')).toHaveLength(10)
    expect(first?.textContent).toContain('500')
    expect(first?.textContent).toContain('boom')
    expect(first?.textContent).toContain('1.50 s')
    expect(first?.textContent).toContain('3 ch')
  })

  it('shows the total count, not the number of loaded runs', async () => {
    bench.handlers[LIST] = () => createList([1], { hasMore: true, total: 6000, matching: 5000 })
    bench.open('/runs', <RunsPage />)
    expect(await screen.findByRole('heading', { name: 'Runs 5,000' })).toBeTruthy()
  })

  it('shows the called path if the route is a pattern', async () => {
    const report = createSummary({ route: 'GET /api/reports/:id', method: 'GET', target: '/api/reports/77' })
    bench.handlers[LIST] = () => ({ ...createList([1]), runs: [report] })
    bench.open('/runs', <RunsPage />)
    expect(await screen.findByText('/api/reports/77')).toBeDefined()
    expect(screen.getByText('/api/reports/:id')).toBeDefined()
  })

  it('loads the filter of the URL, and keeps it in the URL', async () => {
    bench.handlers[LIST] = () => createList([1])
    bench.open('/runs?status=failed&slower=100', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(1))
    const request = bench.requests.find(({ route }) => route === LIST)
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ status: 'failed', slower: '100', limit: '100' })
    fireEvent.change(screen.getByLabelText('Caller'), { target: { value: 'curl' } })
    expect(location.search).toBe('?status=failed&caller=curl&slower=100')
    expect(screen.getByRole('link', { name: /echo/ }).getAttribute('href')).toBe(
      '/_workbench/runs/000001?status=failed&caller=curl&slower=100',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(location.search).toBe('')
  })

  it('does not show the runs of the previous filter', async () => {
    bench.handlers[LIST] = ({ query }: PageRequest) => createList(query.get('status') === 'failed' ? [2] : [1, 2, 3])
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(3))
    fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'failed' } })
    await waitFor(() => expect(rows()).toEqual([idOf(2)]))
  })

  it('selects runs with j and k, and opens, pins and marks them with keys', async () => {
    bench.handlers[LIST] = () => createList([1, 2, 3])
    bench.handlers[`POST /_workbench/api/runs/${idOf(2)}/pin`] = () => createSummary({ id: idOf(2), isPinned: true })
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(3))
    press('j')
    expect(selected()).toBe(idOf(3))
    press('j')
    press('j')
    press('j')
    expect(selected()).toBe(idOf(1))
    press('x')
    press('k')
    press('x')
    expect(screen.getByRole('link', { name: 'Compare selected' }).getAttribute('href')).toBe(
      `/_workbench/compare?a=${idOf(1)}&b=${idOf(2)}`,
    )
    press('p')
    await waitFor(() => expect(screen.getAllByRole('button', { pressed: true })).toHaveLength(1))
    expect(bench.requests.find(({ route }) => route.endsWith('/pin'))?.body).toEqual({ isPinned: true })
    press('Enter')
    expect(location.pathname).toBe(`/_workbench/runs/${idOf(2)}`)
  })

  it('holds new runs back while scrolled down, and shows them with a button', async () => {
    let numbers = [1, 2, 3]
    bench.handlers[LIST] = () => createList(numbers)
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(3))
    const list = screen.getByRole('rowgroup')
    list.scrollTop = 50
    fireEvent.scroll(list)
    numbers = [1, 2, 3, 4, 5]
    bench.emit('run', createSummary({ id: idOf(5) }))
    const newRuns = await screen.findByRole('button', { name: '2 new runs' })
    expect(rows()[0]).toBe(idOf(3))
    fireEvent.click(newRuns)
    expect(rows()[0]).toBe(idOf(5))
    expect(screen.queryByRole('button', { name: /new run/ })).toBeNull()
  })

  it('holds new runs back while paused', async () => {
    let numbers = [1]
    bench.handlers[LIST] = () => createList(numbers)
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(1))
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }))
    numbers = [1, 2]
    bench.emit('run', createSummary({ id: idOf(2) }))
    await screen.findByRole('button', { name: '1 new run' })
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }))
    expect(rows()).toEqual([idOf(2), idOf(1)])
  })

  it('restores the selection after going back', async () => {
    bench.handlers[LIST] = () => createList([1, 2, 3])
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(3))
    expect(selected()).toBeUndefined()
    press('j')
    press('j')
    cleanup()
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(selected()).toBe(idOf(2)))
  })

  it('loads older runs', async () => {
    bench.handlers[LIST] = ({ query }: PageRequest) =>
      query.has('before') ? createList([1, 2]) : createList([3, 4], { hasMore: true })
    bench.open('/runs', <RunsPage />)
    fireEvent.click(await screen.findByRole('button', { name: 'Load more' }))
    await waitFor(() => expect(rows()).toEqual([4, 3, 2, 1].map(idOf)))
    // On a busy machine, the page may have refetched its newest runs since.
    expect(bench.requests.map(({ query }) => query.get('before'))).toContain(idOf(3))
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  })

  it('deletes all runs after confirmation', async () => {
    let numbers = [1]
    bench.handlers[LIST] = () => createList(numbers)
    bench.handlers['DELETE /_workbench/api/runs'] = () => {
      numbers = []
      return { deleted: 1 }
    }
    bench.open('/runs', <RunsPage />)
    await waitFor(() => expect(rows()).toHaveLength(1))
    fireEvent.click(screen.getByRole('button', { name: 'Clear runs' }))
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Clear runs' }))
    await waitFor(() => expect(numbers).toEqual([]))
    bench.emit('cleared', {})
    await screen.findByText('No runs yet')
  })

  it('shows an example call of an existing route if there are no runs', async () => {
    bench.handlers[LIST] = () => createList([])
    bench.open('/runs', <RunsPage />)
    await screen.findByText(/Call your app or press Run/)
    expect(document.querySelector('pre')?.textContent).toContain('http://bench.test/agent/echo')
  })
})
