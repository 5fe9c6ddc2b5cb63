import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { toUiFile } from '../ui-files.ts'
import { PageSender } from './pages.ts'

const FILES = {
  '/index.html': '<!doctype html><head><title>Workbench</title></head>',
  '/assets/index-abc.js': 'console.log(1)'.repeat(100),
  '/assets/geist-abc.woff2': 'not really a font',
}

let server: Server

afterEach(() => server.close())

async function open(
  files: Readonly<Record<string, string>> = FILES,
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const ui = new Map(Object.entries(files).map(([path, text]) => [path, toUiFile(path, Buffer.from(text))]))
  const pages = new PageSender({ nonce: 'the-nonce', ui })
  server = createServer((request, response) => pages.send(request.url ?? '/', request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const browser = { 'sec-fetch-dest': 'document' }
  return (path, init) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { ...browser, ...(init?.headers as object) } })
}

describe('PageSender', () => {
  it.each(['/', '/runs/abc', '/agents/a.b'])('sends the page for the UI route %s', async (path) => {
    const response = await (await open())(path)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBeNull()
    expect(await response.text()).toBe(
      '<!doctype html><head><title>Workbench</title><meta name="workbench-nonce" content="the-nonce"></head>',
    )
  })

  it.each(['empty', 'iframe', 'embed', 'object', 'script', 'style', 'image', 'worker', 'serviceworker'])(
    'responds with 403 to a script that loads the page as %s',
    async (target) => {
      const get = await open()
      for (const path of ['/', '/index.html', '/runs']) {
        const response = await get(path, { headers: { 'sec-fetch-dest': target } })
        expect([response.status, await response.text()]).toEqual([403, expect.not.stringContaining('the-nonce')])
      }
      expect((await get('/assets/index-abc.js', { headers: { 'sec-fetch-dest': target } })).status).toBe(200)
    },
  )

  it('compresses immutable text files, but not fonts', async () => {
    const get = await open()
    const script = await get('/assets/index-abc.js', { headers: { 'accept-encoding': 'br, gzip' } })
    expect(Object.fromEntries(script.headers)).toMatchObject({
      'cache-control': 'private, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    })
    expect(await script.text()).toBe(FILES['/assets/index-abc.js'])
    const font = await get('/assets/geist-abc.woff2')
    expect(font.headers.get('content-encoding')).toBeNull()
    expect(font.headers.get('content-type')).toBe('font/woff2')
  })

  it('sends uncompressed text to clients without gzip', async () => {
    const script = await (await open())('/assets/index-abc.js', { headers: { 'accept-encoding': 'identity' } })
    expect(script.headers.get('content-encoding')).toBeNull()
    expect(await script.text()).toBe(FILES['/assets/index-abc.js'])
  })

  it('responds with 404 for a missing file and with 405 to POST', async () => {
    const get = await open()
    expect((await get('/assets/old-xyz.js')).status).toBe(404)
    const posted = await get('/', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await (await get('/', { method: 'HEAD' })).text()).toBe('')
  })

  it('responds with 404 if the UI was not built', async () => {
    const response = await (await open({}))('/')
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { message: 'the workbench UI has not been built' } },
    ])
  })
})
