/** Runs before each test file: undoes what the last one has replaced, and sets long timeouts for busy machines. */
import { vi } from 'vitest'

// Vitest does this before each test, but files share a process, and the hooks of a file run before its first test.
vi.useRealTimers()
vi.unstubAllGlobals()
vi.unstubAllEnvs()
vi.restoreAllMocks()

if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 15_000 })
}
