import { describe, expect, it, vi } from 'vitest'
import type * as EnvErrors from './env-error.ts'

const ERROR = { name: 'KEY', problem: 'is not set', purpose: 'it opens the door', example: 'KEY=abc' }

/** Loads a new instance of the module, whose collected errors are global to the process. */
async function load(): Promise<typeof EnvErrors> {
  vi.resetModules()
  return import('./env-error.ts')
}

describe('reportEnvError', () => {
  it('throws with the problem, the purpose and an example', async () => {
    const { reportEnvError } = await load()
    expect(() => reportEnvError(ERROR, 'instead')).toThrow(
      new TypeError('KEY is not set (it opens the door). Example: KEY=abc'),
    )
  })

  it('returns the fallback while errors are collected, and records each variable once', async () => {
    const { collectEnvErrors, reportEnvError } = await load()
    const end = collectEnvErrors()
    expect(reportEnvError(ERROR, 'instead')).toBe('instead')
    reportEnvError({ ...ERROR, purpose: 'it opens the window' }, 'instead')
    reportEnvError({ ...ERROR, name: 'LOCK' }, 'instead')
    expect(end().map(({ name, purpose }) => [name, purpose])).toEqual([
      ['KEY', 'it opens the door'],
      ['LOCK', 'it opens the door'],
    ])
    expect(end()).toHaveLength(2)
  })

  it('throws again after the errors were collected', async () => {
    const { collectEnvErrors, reportEnvError } = await load()
    expect(collectEnvErrors()()).toEqual([])
    expect(() => reportEnvError(ERROR, 'instead')).toThrow('KEY is not set')
  })
})
