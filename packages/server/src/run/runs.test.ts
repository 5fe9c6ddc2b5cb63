import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Returns the files that a file loads when it is imported. */
function loadedFiles(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;'"]*?from '(\.[^']+)'/gm)
  for (const [, path = ''] of imports) loadedFiles(resolve(dirname(file), path), found)
  return found
}

describe('the code that executes runs', () => {
  it('is not loaded by an app without durable agents', () => {
    const source = resolve(import.meta.dirname, '..')
    const loaded = [...loadedFiles(resolve(source, 'index.ts'))].map((file) => file.slice(source.length + 1))
    expect(loaded).toContain('app/app.ts')
    expect(loaded.filter((file) => file.startsWith('run/')).toSorted()).toEqual([
      'run/run-limits.ts',
      'run/run-schemas.ts',
      'run/runs.ts',
      'run/store/memory-run-inspector.ts',
      'run/store/memory-run-store.ts',
      'run/store/memory-run.ts',
      'run/store/memory-threads.ts',
      'run/store/memory-values.ts',
      'run/store/run-clock.ts',
      'run/store/run-inspector.ts',
      'run/store/run-size.ts',
      'run/store/schedule-store.ts',
      'run/store/thread-store.ts',
    ])
  })
})
