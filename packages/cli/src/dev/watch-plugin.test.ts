import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { watchPlugin } from './watch-plugin.ts'

describe('watchPlugin', () => {
  const root = temporaryFolder('watch').path
  const file = join(root, 'src/agent.ts')
  const page = join(root, 'src/web/App.ts')
  const seen: string[] = []
  let onUpdate = (): void => {}
  let vite: ViteDevServer

  beforeAll(async () => {
    mkdirSync(join(root, 'src/web'), { recursive: true })
    writeFileSync(file, 'first')
    writeFileSync(page, 'export const text = "first"')
    vite = await createServer({
      configFile: false,
      root: join(root, 'src/web'),
      logLevel: 'silent',
      appType: 'custom',
      server: { middlewareMode: true, ws: false },
      optimizeDeps: { noDiscovery: true },
      plugins: [
        { name: 'first', enforce: 'pre', hotUpdate },
        watchPlugin(join(root, 'src'), (change) => seen.push(readFileSync(change.file, 'utf8'))),
      ],
    })
    // The watcher has not found the file yet.
    writeFileSync(file, 'early')
    // The watcher needs a moment to find the files.
    await vi.waitFor(() => expect(vite.watcher.getWatched()[join(root, 'src')]).toContain('agent.ts'), {
      timeout: 15_000,
    })
  })
  afterAll(() => vite.close())

  function hotUpdate(this: { environment: { name: string } }): void {
    if (this.environment.name === 'ssr') onUpdate()
  }

  it('reports a file that is saved before the watcher has found it', async () => {
    await expect.poll(() => seen).toContain('early')
  })

  it('does not report a file that is empty while it is being written', async () => {
    const updated = new Promise<void>((resolve) => (onUpdate = resolve))
    const handle = openSync(file, 'w')
    await updated
    // A slow writer: code that does not wait would have read the file by now.
    await new Promise((resolve) => setImmediate(resolve))
    writeSync(handle, 'second')
    closeSync(handle)
    await expect.poll(() => seen.at(-1)).toBe('second')
    expect(seen).not.toContain('')
  })

  it('updates the page after changes that the watcher drops', async () => {
    const url = '/App.ts'
    const { client } = vite.environments
    const text = async (): Promise<string> => (await client.transformRequest(url))?.code ?? ''
    expect(await text()).toContain('first')
    writeFileSync(page, 'export const text = "second"')
    await expect.poll(text, { interval: 1 }).toContain('second')
    writeFileSync(page, 'export const text = "third"')
    await expect.poll(text).toContain('third')
  })

  it('reports a file that stays empty', async () => {
    writeFileSync(file, '')
    await expect.poll(() => seen.at(-1)).toBe('')
  })

  it('reports files in new folders that the watcher misses', async () => {
    const folder = join(root, 'src/new')
    // The watcher reads a folder before it watches it. Here, it never sees the files.
    vite.watcher.unwatch(folder)
    mkdirSync(join(folder, 'inner'), { recursive: true })
    writeFileSync(join(folder, 'agent.ts'), 'missed')
    writeFileSync(join(folder, 'inner/agent.ts'), 'missed as well')
    vite.watcher.emit('addDir', folder)
    await expect.poll(() => seen).toEqual(expect.arrayContaining(['missed', 'missed as well']))
    vite.watcher.emit('addDir', join(root, 'src/deleted'))
  })
})
