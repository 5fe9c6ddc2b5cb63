import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { resolutionFlags } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/testing.md', () => {
  it('shows tests that pass', async () => {
    const { path: cwd } = await writePage('docs/guide/testing.md')
    // In one process, since starting takes most of the time.
    const files = ['chat.test.ts', 'clean.test.ts', 'order.test.ts', 'order-crashes.test.ts', 'port.test.ts']
    writeFileSync(join(cwd, 'tests/all.test.ts'), files.map((file) => `import './${file}'\n`).join(''))
    const args = [...resolutionFlags(), '--import', 'tsx', '--test', '--test-reporter=tap', 'tests/all.test.ts']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
    expect(stdout).toMatch(/^# pass 6$/m)
  }, 600_000)
})
