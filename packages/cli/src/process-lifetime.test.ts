import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeArguments } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('ignoreOutputErrors', () => {
  it('keeps the process running after the reader of its output has exited', async () => {
    const args = await nodeArguments(fileURLToPath(new URL('process-lifetime.ts', import.meta.url)))
    const source = `
      import { ignoreOutputErrors } from ${JSON.stringify(args.pop())}
      ignoreOutputErrors()
      process.stdout.write('ready')
      process.stdin.once('end', () => {
        process.stdout.write('a line')
        setTimeout(() => process.exit(7), 10)
      }).resume()`
    const child = spawn(process.execPath, [...args, '--input-type=module', '-e', source])
    await once(child.stdout, 'data')
    child.stdout.destroy()
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([7, null])
  })
})
