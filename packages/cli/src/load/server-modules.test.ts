import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '@sdk/test-kit'
import { createServer } from 'vite'
import { afterEach, describe, expect, it } from 'vitest'
import { createServerModules } from './server-modules.ts'

describe('createServerModules', () => {
  let close = async (): Promise<void> => {}
  afterEach(() => close())

  it('recompiles a file after it is unloaded', async () => {
    const root = temporaryFolder('server-modules').path
    const file = join(root, 'agent.ts')
    // Without a watcher, nothing else notifies the compiler.
    const vite = await createServer({
      configFile: false,
      root,
      logLevel: 'silent',
      appType: 'custom',
      server: { middlewareMode: true, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    })
    close = () => vite.close()
    const modules = createServerModules(vite)
    writeFileSync(file, '')
    expect(Object.keys(await modules.import(file, root))).toEqual([])
    writeFileSync(file, 'export default 1')
    modules.unload(file)
    expect((await modules.import(file, root)).default).toBe(1)
  })
})
