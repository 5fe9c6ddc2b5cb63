import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolutionFlags } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/mcp.md', () => {
  it('shows a test that passes', async () => {
    const { path: cwd } = await writePage('docs/guide/mcp.md')
    const args = [...resolutionFlags(), '--import', 'tsx', '--test', '--test-reporter=tap', 'tests/mcp.test.ts']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
    expect(stdout).toMatch(/^# pass 1$/m)
  }, 600_000)
})
