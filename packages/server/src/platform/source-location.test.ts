import { afterEach, expect, it, vi } from 'vitest'
import { captureLocation } from './source-location.ts'

const { prepareStackTrace } = Error

afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace
  vi.restoreAllMocks()
})

it.each(['/my%20app%20(copy)', 'file:///my%20app%20(copy)'])('is relative to the working directory in %s', (path) => {
  vi.spyOn(process, 'cwd').mockReturnValue('/my app (copy)')
  Error.prepareStackTrace = () => `Error\n    at a\n    at b\n    at eval (${path}/src/a.ts:12:4)`
  expect(String(captureLocation())).toBe('src/a.ts:12:4')
})
