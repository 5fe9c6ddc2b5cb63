// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { createList, createRun, idOf, textOf } from '../runs/run.test.fixture.ts'
import { ComparePage } from './compare-page.tsx'

const bench = startTestBench()
const respondWith = (number: number, output: unknown, ms: number) => () =>
  createRun({ id: idOf(number), ms, pieces: [{ ...textOf(JSON.stringify(output)), at: ms }] })

describe('ComparePage', () => {
  it('shows the differences of two responses', async () => {
    bench.handlers['GET /_workbench/api/runs/000001'] = respondWith(1, { a: 1, b: 2 }, 10)
    bench.handlers['GET /_workbench/api/runs/000002'] = respondWith(2, { a: 1, b: 3, c: 4 }, 30)
    bench.open('/compare?a=000001&b=000002', <ComparePage />)
    const diff = await screen.findByRole('region', { name: 'Outputs' })
    const lines = (): (string | null)[] =>
      within(diff)
        .getAllByRole('listitem')
        .map((line) => line.textContent)
    expect(lines()).toEqual(['~/b2→3', '+/c4'])
    fireEvent.click(screen.getByLabelText('Only changes'))
    expect(lines()).toHaveLength(4)
    expect(screen.getByRole('row', { name: /Time/ }).textContent).toBe('Time10 ms30 ms+20 ms (+200 %)')
  })

  it('swaps the two runs', async () => {
    bench.handlers['GET /_workbench/api/runs/000001'] = respondWith(1, 'x', 10)
    bench.handlers['GET /_workbench/api/runs/000002'] = respondWith(2, 'y', 30)
    bench.open('/compare?a=000001&b=000002', <ComparePage />)
    fireEvent.click(await screen.findByRole('button', { name: 'Swap' }))
    expect(location.search).toBe('?a=000002&b=000001')
  })

  it('lists runs of the same route if only one run is selected', async () => {
    bench.handlers['GET /_workbench/api/runs/000001'] = respondWith(1, 'x', 10)
    bench.handlers['GET /_workbench/api/runs'] = () => createList([1, 2])
    bench.open('/compare?a=000001', <ComparePage />)
    const picker = await screen.findByRole('region', { name: 'Select run B' })
    const rows = await within(picker).findAllByRole('button')
    expect(rows).toHaveLength(1)
    await screen.findByLabelText('Same route only')
    expect(bench.requests.at(-1)?.query.get('route')).toBe('POST /agent/echo')
    for (const row of rows) fireEvent.click(row)
    expect(location.search).toBe('?a=000001&b=000002')
  })

  it('shows that a run does not exist', async () => {
    bench.handlers['GET /_workbench/api/runs/000001'] = respondWith(1, 'x', 10)
    bench.open('/compare?a=000001&b=000009', <ComparePage />)
    expect(await screen.findByText('Run 000009 not found')).toBeDefined()
  })
})
