import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { createServer, isRunnableDevEnvironment, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assertExportsExist } from './missing-export.ts'

describe('assertExportsExist', () => {
  const root = temporaryFolder('missing-export').path
  let vite: ViteDevServer

  beforeAll(async () => {
    writeFileSync(join(root, 'words.ts'), 'export const word = 1\nexport type Word = string\nexport default 2\n')
    vite = await createServer({
      configFile: false,
      root,
      logLevel: 'silent',
      appType: 'custom',
      server: { middlewareMode: true, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    })
  })
  afterAll(() => vite.close())

  it('throws with the location if an imported name is not exported', async () => {
    await expect(
      check('a.ts', `import { wort } from './words.ts'\nexport const f = () => wort\n`),
    ).rejects.toMatchObject({
      message: 'words.ts does not export wort: did you mean word?',
      loc: { file: join(root, 'a.ts'), line: 1, column: 9 },
    })
  })

  it('also checks imported files', async () => {
    await expect(check('b.ts', `export { f } from './a.ts'\n`)).rejects.toThrow('words.ts does not export wort')
  })

  it.each([
    ['types', `import { word, Word } from './words.ts'\nexport const f = (): Word => String(word)\n`],
    ['re-exported types', `export { Word } from './words.ts'\n`],
    ['the default export', `import word from './words.ts'\nexport const f = () => word\n`],
    ['a namespace import', `import * as words from './words.ts'\nexport const f = () => words.word\n`],
    ['modules outside the project', `import { join } from 'node:path'\nexport const f = () => join('a')\n`],
  ])('accepts %s', async (_, text) => {
    await expect(check(`c${text.length}.ts`, text)).resolves.toBeUndefined()
  })

  async function check(name: string, text: string): Promise<void> {
    const file = join(root, name)
    writeFileSync(file, text)
    const { ssr } = vite.environments
    if (!isRunnableDevEnvironment(ssr)) throw new TypeError('it cannot run modules')
    await ssr.runner.import(file)
    assertExportsExist(file, ssr.runner.evaluatedModules, root)
  }
})
