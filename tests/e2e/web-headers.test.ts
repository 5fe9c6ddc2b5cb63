import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, hasChromium, launchBrowser, type NodeProcess, type Page, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'

describe.skipIf(!hasChromium())('pages of a built app, in a browser', () => {
  const project = createDemoProject()
  let server: NodeProcess
  let browser: Browser

  beforeAll(async () => {
    project.write('src/web/public/around.html', '<link rel="icon" href="data:," /><iframe src="/"></iframe>')
    const { code, output } = await build(project)
    if (code !== 0) throw new Error(output)
    const file = join(project.path, 'dist/server/index.js')
    server = await spawnNode({ file, cwd: project.path, env: { PORT: '0' }, ready: URL_LINE })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.kill()
  })

  it('are shown in a frame of the same origin, with nothing to complain about', async () => {
    const { page, complaints } = await open(`${server.url}/around.html`)
    await page.frameLocator('iframe').getByText('Hello from the page').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  it('are not shown in a frame of somebody else', async () => {
    const stranger = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${server.url}/"></iframe>`),
    )
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { page, complaints } = await open(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`)
    expect(await page.frameLocator('iframe').getByText('Hello from the page').count()).toBe(0)
    expect(complaints.join()).toContain('frame-ancestors')
    await page.close()
    stranger.close()
  })

  async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(url)
    return { page, complaints }
  }
})
