import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '@sdk/test-kit'
import { createServer, isRunnableDevEnvironment } from 'vite'
import { createNodeImportMeta } from 'vite/module-runner'
import { expect, it } from 'vitest'
import { importMetaPlugin } from './import-meta-plugin.ts'

it('prepares import.meta.resolve of server modules on its first call', async () => {
  const root = temporaryFolder('import-meta').path
  writeFileSync(join(root, 'other.ts'), '')
  writeFileSync(
    join(root, 'agent.ts'),
    `export const { dirname, filename } = import.meta
export const found = () => [import.meta.resolve('./other.ts'), import.meta.resolve('node:fs')]`,
  )
  const vite = await createServer({
    configFile: false,
    root,
    logLevel: 'silent',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    plugins: [importMetaPlugin],
  })
  const { ssr } = vite.environments
  if (!isRunnableDevEnvironment(ssr)) throw new TypeError('the environment "ssr" cannot run modules')
  const agent = (await ssr.runner.import(join(root, 'agent.ts'))) as {
    dirname: string
    filename: string
    found: () => string[]
  }
  // Vite's version prepares it when it is created.
  expect(ssr.runner.options.createImportMeta).not.toBe(createNodeImportMeta)
  expect(agent.dirname).toBe(root)
  expect(agent.filename).toBe(join(root, 'agent.ts'))
  expect(agent.found()).toEqual([pathToFileURL(join(root, 'other.ts')).href, 'node:fs'])
  await vite.close()
})
