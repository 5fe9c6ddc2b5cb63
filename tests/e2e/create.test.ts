import { symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess, temporaryFolder, type RunningProcess } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const CREATE = binOf('@sdk/create', 'bin/create.js')
const SDK = binOf('@sdk/cli', 'bin/sdk.js')
const TSC = binOf('typescript', 'bin/tsc')

describe('npm create @sdk', () => {
  it('makes an app whose types hold, and whose pointer file is current', async () => {
    const cwd = temporaryFolder('create').path
    await succeed(CREATE, ['my-app', '--yes'], cwd)
    const app = join(cwd, 'my-app')
    symlinkSync(NODE_MODULES, join(app, 'node_modules'))
    const [, types] = await Promise.all([succeed(TSC, [], app), succeed(SDK, ['types'], app)])
    expect(types.output()).toBe('src/sdk-routes.d.ts is current\n')
  })
})

async function succeed(file: string, args: readonly string[], cwd: string): Promise<RunningProcess> {
  const running = await startProcess({ command: process.execPath, args: [file, ...args], cwd })
  const { code } = await running.exited
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${running.output()}`)
  return running
}

function binOf(name: string, file: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file)
}
