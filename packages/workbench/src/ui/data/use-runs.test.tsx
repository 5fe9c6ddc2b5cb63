// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { createTestRun } from '../run/test-run.test.fixture.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { useRun } from './use-runs.ts'

const bench = startTestBench()

function State(): ReactNode {
  return <p>{useRun('a').run?.state ?? 'unknown'}</p>
}

it('fetches a run again that has ended during the first fetch', async () => {
  const responses: ((run: object) => void)[] = []
  bench.handlers['GET /_workbench/api/runs/a'] = () => new Promise<object>((resolve) => responses.push(resolve))
  bench.open('/', <State />)
  await expect.poll(() => responses.length).toBe(1)
  bench.emit('run', { ...createTestRun({ state: 'done' }), id: 'a' })
  responses[0]?.(createTestRun({ state: 'running' }))
  await screen.findByText('running')
  await expect.poll(() => responses.length).toBe(2)
  responses[1]?.(createTestRun({ state: 'done' }))
  await screen.findByText('done')
})
