// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { lazy, Suspense } from 'react'
import { expect, it, vi } from 'vitest'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { pageLoad } from './page-load.tsx'
import { PageBoundary } from './page-boundary.tsx'

const bench = startTestBench()

it('reloads a page that could not be loaded once the dev server responds', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(performance, 'now').mockReturnValue(60_000)
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  const loading = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
  const Page = lazy<() => null>(() => pageLoad(loading()))
  const manifest = bench.handlers['GET /_workbench/api/manifest']
  bench.handlers = { '*': () => Response.error() }
  bench.open(
    '/settings',
    <PageBoundary>
      <Suspense>
        <Page />
      </Suspense>
    </PageBoundary>,
  )
  await screen.findByText('This page could not be loaded')
  bench.turn('open')
  await waitFor(() => expect(bench.requests.length).toBeGreaterThan(0))
  expect(reload).not.toHaveBeenCalled()
  if (manifest !== undefined) bench.handlers = { '*': manifest }
  bench.turn('error')
  bench.turn('open')
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
})
