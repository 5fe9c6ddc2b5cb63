// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { MatrixResult } from '../../api.ts'
import { startTestBench, type PageRequest } from '../runs/page.test.fixture.tsx'
import { createSummary, idOf } from '../runs/run.test.fixture.ts'
import { MatrixPage } from './matrix-page.tsx'

const ECHO = 'POST /agent/echo'
const ADA = { id: 'u1', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00Z' }
const bench = startTestBench()

/** Returns the user, and rejects calls without a token. */
function greetUser({ headers }: PageRequest): unknown {
  if (headers.get('authorization') === 'Bearer token-of-ada') return { hello: 'Ada' }
  return Response.json({ error: { code: 'UNAUTHORIZED', message: 'Sign in', details: [] } }, { status: 401 })
}

function press(key: string): void {
  fireEvent.keyDown(document.body, { key, ctrlKey: true })
}

describe('MatrixPage', () => {
  it('calls once as each identity, and shows which responses differ', async () => {
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: true, users: [ADA] })
    bench.handlers['POST /_workbench/api/sessions'] = () => ({ user: ADA, token: 'token-of-ada', expiresAt: '' })
    bench.handlers[ECHO] = greetUser
    bench.open('/matrix?route=POST%20/agent/echo', <MatrixPage />)
    fireEvent.click(await screen.findByLabelText('Ada (ada@example.com)'))
    press('Enter')
    await waitFor(() => expect(screen.getAllByRole('row').at(-1)?.textContent).toContain('different'))
    const [, anonymous, browser, ada] = screen.getAllByRole('row')
    expect(anonymous?.textContent).toContain('401')
    expect(browser?.textContent).toContain('same')
    expect(ada?.textContent).toContain('{"hello":"Ada"}')
    const calls = bench.requests.filter(({ route }) => route === ECHO)
    expect(calls.map(({ credentials }) => credentials)).toEqual(['omit', 'same-origin', 'omit'])
    expect(calls.map(({ headers }) => headers.get('x-sdk-caller'))).toEqual(['workbench', 'workbench', 'workbench'])
  })

  it('shows that a stream failed after it started', async () => {
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: false, users: [] })
    const lines = '{"n":1}\n{"error":{"code":"UNAUTHORIZED","message":"Sign in","details":[]}}\n'
    bench.handlers[ECHO] = () => new Response(lines, { headers: { 'content-type': 'application/x-ndjson' } })
    bench.open('/matrix?route=POST%20/agent/echo', <MatrixPage />)
    await screen.findByText('This app does not use auth, so it has no users.')
    press('Enter')
    const [pill] = await screen.findAllByText('failed')
    expect(pill?.dataset['tone']).toBe('bad')
    expect(screen.getAllByText('UNAUTHORIZED: Sign in')).not.toEqual([])
  })

  it('links every call to its run once it is recorded', async () => {
    bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: false, users: [] })
    bench.handlers[ECHO] = () => ({ fine: true })
    bench.open('/matrix?route=POST%20/agent/echo', <MatrixPage />)
    await screen.findByText('This app does not use auth, so it has no users.')
    press('Enter')
    const [link] = await screen.findAllByRole('link', { name: 'run' })
    const requestId = bench.requests.find(({ route }) => route === ECHO)?.headers.get('x-request-id') ?? ''
    expect(link?.getAttribute('href')).toBe(`/_workbench/runs?requestId=${requestId}`)
    bench.emit('run', createSummary({ id: idOf(7), requestId }))
    await waitFor(() => expect(link?.getAttribute('href')).toBe('/_workbench/runs/000007'))
  })

  it('repeats a call, counts the results, and groups equal responses', async () => {
    let count = 0
    bench.handlers[ECHO] = () => ({ isOdd: ++count % 2 === 1 })
    bench.open('/matrix?route=POST%20/agent/echo', <MatrixPage />)
    fireEvent.click(await screen.findByLabelText('Several times'))
    fireEvent.change(screen.getByLabelText('Calls'), { target: { value: '7' } })
    fireEvent.change(screen.getByLabelText('Concurrency'), { target: { value: '99' } })
    expect(screen.getByLabelText('Concurrency')).toHaveProperty('value', '16')
    press('Enter')
    await screen.findByText('7 / 7')
    await screen.findByText('2 different responses')
    const responseList = screen.getByRole('region', { name: 'Responses' })
    expect(within(responseList).getByText('4 ×')).toBeDefined()
    expect(within(responseList).getByText('3 ×')).toBeDefined()
    expect(screen.getAllByRole('link', { name: /^Call / })).toHaveLength(7)
  })

  it('stops at the first rate limit error, and shows how long to wait', async () => {
    let count = 0
    bench.handlers[ECHO] = () =>
      ++count < 3
        ? { fine: true }
        : Response.json(
            { error: { code: 'RATE_LIMITED', message: 'Too many requests', details: [] } },
            { status: 429, headers: { 'retry-after': '30' } },
          )
    bench.open('/matrix?route=POST%20/agent/echo', <MatrixPage />)
    fireEvent.click(await screen.findByLabelText('Several times'))
    fireEvent.change(screen.getByLabelText('Concurrency'), { target: { value: '1' } })
    press('Enter')
    expect(await screen.findByText(/You can continue in 30 s\./)).toBeDefined()
    expect(count).toBe(3)
    expect(screen.getByText('3 / 20')).toBeDefined()
  })

  it('compares the scores of the last two results, and shows the outputs of a call', async () => {
    const cell = (variant: string, score: number, output: object) => {
      return { row: 0, variant, input: { subject: 'tea', model: variant }, output, score }
    }
    const results: Record<string, MatrixResult> = {
      '3': createResult({ small: 0.5, large: 1 }, [cell('small', 0.5, { n: 2 }), cell('large', 1, { n: 9 })]),
      '2': { ...createResult({ other: 0 }, []), route: 'POST /agent/other' },
      '1': createResult({ small: 1 }, [cell('small', 1, { n: 1 })]),
    }
    const summaries = Object.entries(results).map(([id, { cells, ...result }]) => ({
      id,
      ...result,
      calls: cells.length,
    }))
    bench.handlers['GET /_workbench/api/matrix'] = () => ({ results: summaries.toReversed() })
    for (const id of ['1', '2', '3']) bench.handlers[`GET /_workbench/api/matrix/${id}`] = () => results[id]
    bench.open('/matrix', <MatrixPage />)
    fireEvent.click(await screen.findByRole('button', { name: 'Scores' }))
    const [, mean, row] = await screen.findAllByRole('row')
    expect(mean?.textContent).toBe('Mean0.5 −0.51 ')
    expect(row?.textContent).toContain('{"subject":"tea"}0.5 −0.5 changed1 ')
    expect(screen.getByLabelText('Compared with').textContent).not.toContain('other')
    fireEvent.click(screen.getByRole('button', { name: 'Output of small for input 1, score 0.5' }))
    const details = within(screen.getByRole('region', { name: 'Output of small' }))
    expect(details.getByText('Earlier output')).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'Output of large for input 1, score 1' }))
    expect(screen.queryByText('Earlier output')).toBeNull()
  })

  it('shows how to score outputs in a test', async () => {
    bench.handlers['GET /_workbench/api/matrix'] = () => ({ results: [] })
    bench.open('/matrix?view=scores', <MatrixPage />)
    expect(await screen.findByText('No scores yet')).toBeDefined()
  })
})

function createResult(scores: MatrixResult['scores'], cells: MatrixResult['cells']): MatrixResult {
  return { route: 'POST /agent/poem', at: '2026-01-02T00:00:00.000Z', scores, cells }
}
