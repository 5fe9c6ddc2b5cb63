// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestBench, type PageRequest } from '../runs/page.test.fixture.tsx'
import { createRun } from '../runs/run.test.fixture.ts'
import { createApiApp } from './api.test.fixture.ts'
import { RoutesPage } from './routes-page.tsx'

const bench = startTestBench()

/** Uses a real app for requests outside the workbench API. */
beforeEach(() => {
  const app = createApiApp()
  const routes = [...app.routes]
  bench.handlers['GET /_workbench/api/manifest'] = () => ({ revision: 1, routes, problems: [] })
  bench.handlers['GET /_workbench/api/runs'] = () => ({ runs: [], hasMore: false, callers: [], total: 0 })
  bench.handlers['*'] = ({ route, query, body, headers }) => {
    const [method = '', path = ''] = route.split(' ')
    const target = query.size === 0 ? path : `${path}?${query}`
    const sent = body === undefined ? null : JSON.stringify(body)
    return app.fetch(new Request(`http://bench.test${target}`, { method, headers, body: sent }))
  }
})

const open = (route: string): void => bench.open('/routes', <RoutesPage route={route} />)
const requestsTo = (route: string): PageRequest[] => bench.requests.filter((one) => one.route === route)

describe('RoutesPage', () => {
  it('lists the routes in groups, and filters them', async () => {
    bench.open('/routes', <RoutesPage route={null} />)
    expect((await screen.findAllByRole('heading', { level: 2 })).map(({ textContent }) => textContent)).toEqual([
      'figures 2',
      'tasks 6',
      'routes 4',
    ])
    fireEvent.change(screen.getByLabelText('Filter routes'), { target: { value: 'status' } })
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['GET /api/status'])
    expect(screen.getByRole('link').getAttribute('href')).toBe('/_workbench/routes?route=GET%20%2Fapi%2Fstatus')
  })

  it('starts with the input of a recorded run', async () => {
    const run = createRun({ id: 'r7', route: 'PATCH /api/v1/tasks/:id', target: '/api/v1/tasks/t%201' })
    bench.handlers['GET /_workbench/api/runs/r7'] = () => ({
      ...run,
      request: { ...run.request, body: { text: '{"title":"again"}', bytes: 17, isCut: false } },
    })
    bench.open('/routes?run=r7', <RoutesPage route="PATCH /api/v1/tasks/:id" />)
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/^id/).value).toBe('t 1'))
    expect(screen.getByLabelText<HTMLInputElement>(/^title/).value).toBe('again')
  })

  it('shows how to add the first route', async () => {
    bench.handlers['GET /_workbench/api/manifest'] = () => ({ revision: 1, routes: [], problems: [] })
    bench.open('/routes', <RoutesPage route={null} />)
    expect(await screen.findByText('npx sdk add route reports')).toBeDefined()
  })

  it('calls a list with its query, and goes to the next page', async () => {
    const create = bench.handlers['*']
    for (const title of ['a', 'b', 'c']) {
      const headers = new Headers({ 'content-type': 'application/json' })
      const query = new URLSearchParams()
      await create?.({ route: 'POST /api/v1/tasks', query, body: { title }, headers, credentials: 'omit' })
    }
    open('GET /api/v1/tasks')
    fireEvent.change(await screen.findByLabelText('limit'), { target: { value: '2' } })
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    fireEvent.click(await screen.findByRole('button', { name: 'Next page' }))
    await waitFor(() => expect(requestsTo('GET /api/v1/tasks')).toHaveLength(2))
    const [first, second] = requestsTo('GET /api/v1/tasks')
    expect([...(first?.query ?? [])]).toEqual([['limit', '2']])
    expect(second?.query.get('cursor')).toBe(screen.getByLabelText<HTMLInputElement>('cursor').value)
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next page' }).disabled).toBe(true),
    )
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Previous page' }).disabled).toBe(false)
  })

  it('offers the names that a list or an item can expand', async () => {
    for (const route of ['GET /api/v1/tasks', 'GET /api/v1/tasks/:id']) {
      open(route)
      const group = await screen.findByRole('group', { name: 'expand' })
      expect(group.textContent?.trim().split(/\s+/)).toEqual(['letters', 'loud'])
      for (const name of ['loud', 'letters']) fireEvent.click(screen.getByLabelText(name))
      fireEvent.click(screen.getByLabelText('loud'))
      if (route.endsWith(':id')) fireEvent.change(screen.getByLabelText(/^id/), { target: { value: '1' } })
      fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
      const sent = route.replace(':id', '1')
      await waitFor(() => expect(requestsTo(sent)).toHaveLength(1))
      expect([...(requestsTo(sent)[0]?.query ?? [])]).toEqual([['expand', 'letters']])
      cleanup()
    }
  })

  it('requires the path parameters', async () => {
    open('DELETE /api/v1/tasks/:id')
    const send = await screen.findByRole<HTMLButtonElement>('button', { name: /^Send/ })
    expect([send.disabled, send.className]).toEqual([true, 'button primary danger'])
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    expect(requestsTo('DELETE /api/v1/tasks/7')).toHaveLength(0)
    fireEvent.change(screen.getByLabelText(/^id/), { target: { value: '7' } })
    fireEvent.click(send)
    await waitFor(() => expect(requestsTo('DELETE /api/v1/tasks/7')).toHaveLength(1))
  })

  it('shows issues of the server next to a parameter, and does not send empty parameters', async () => {
    open('GET /api/v1/tasks')
    const sort = await screen.findByLabelText('sort')
    fireEvent.change(sort, { target: { value: 'nothing' } })
    fireEvent.change(screen.getByLabelText('limit'), { target: { value: '5' } })
    fireEvent.change(screen.getByLabelText('limit'), { target: { value: '' } })
    fireEvent.click(screen.getByRole('button', { name: /^Send/ }))
    await waitFor(() => expect(sort.getAttribute('aria-invalid')).toBe('true'))
    expect([...(requestsTo('GET /api/v1/tasks')[0]?.query.keys() ?? [])]).toEqual(['sort'])
  })

  it('accepts any path and query of an undocumented route', async () => {
    open('GET /api/auth/*')
    fireEvent.change(await screen.findByLabelText(/^rest of the path/), { target: { value: 'get/session' } })
    fireEvent.change(screen.getByLabelText('Query'), { target: { value: 'a=1&b=2' } })
    fireEvent.click(screen.getByRole('button', { name: /^Send/ }))
    await waitFor(() => expect(requestsTo('GET /api/auth/get/session')).toHaveLength(1))
    expect(requestsTo('GET /api/auth/get/session')[0]?.query.toString()).toBe('a=1&b=2')
  })

  it('shows the responses of a route with their schemas', async () => {
    open('GET /api/v1/tasks/:id')
    fireEvent.click(await screen.findByText('Responses'))
    fireEvent.click(screen.getByText('The item does not exist, or the caller cannot access it'))
    expect(screen.getAllByText(/"required": \[\s+"error"\s+\]/).length).toBeGreaterThan(0)
  })
})
