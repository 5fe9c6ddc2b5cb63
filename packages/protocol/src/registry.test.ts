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

describe('a filled registry', () => {
  // Declaration merging reaches the whole program it is in. Beside the other type tests it would
  // type their routes too, so it has a program of its own, as every app has.
  it('types its routes and sockets, and refuses others', async () => {
    expect(await compile(new URL('registry.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('is compiled indeed', async () => {
    expect(await compile(new URL('no-such-file.ts', import.meta.url))).toContain('error')
  })
})
