import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const options =
  '--ignoreConfig --noEmit --strict --module nodenext --customConditions @sdk/source --allowImportingTsExtensions --skipLibCheck'

/** Compiles one file as a program of its own and gives what the compiler says. */
function compile(file: URL): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, ...options.split(' '), fileURLToPath(file)], (_error, stdout) => {
      resolve(stdout)
    })
  })
}

describe('the types of sockets', () => {
  it('are those of the registry, and an unknown path is told which ones there are', async () => {
    const said = await compile(new URL('use-websocket.types.test.fixture.ts', import.meta.url))
    const unknown =
      /Argument of type '"\/ws\/nope"' is not assignable to parameter of type '"\/ws\/chat" \| "\/ws\/rooms\/:id"'/g
    expect(said.match(/error/g)).toHaveLength(2)
    expect(said.match(unknown)).toHaveLength(2)
  })
})
