import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolutionFlags } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/testing.md', () => {
  it('shows tests that pass', async () => {
    const { path: cwd } = await writePage('docs/guide/testing.md')
    const files = ['tests/chat.test.ts', 'tests/cleaning.test.ts', 'tests/port.test.ts']
    // The embedded PostgreSQL is WebAssembly; optimizing it takes longer than these tests run.
    const flags = [...resolutionFlags(), '--liftoff-only', '--import', 'tsx']
    const args = [...flags, '--test', '--test-reporter=tap', ...files]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
    expect(stdout).toMatch(/^# pass 3$/m)
  }, 600_000)
})
