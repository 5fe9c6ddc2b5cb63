import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStaticFiles } from './static-files.ts'

const { path } = temporaryFolder('static')
mkdirSync(join(path, 'web/assets'), { recursive: true })
writeFileSync(join(path, 'secret.txt'), 'secret')
writeFileSync(join(path, 'web/index.html'), '<h1>page</h1>')
writeFileSync(join(path, 'web/assets/app-1a2b.js'), 'run()')
const server = createServer(createStaticFiles(join(path, 'web')))
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

describe('createStaticFiles', () => {
  it('serves hashed files for good and the page for a moment', async () => {
    const script = await fetch(`${url}/assets/app-1a2b.js`)
    expect(await script.text()).toBe('run()')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const page = await fetch(url)
    expect(await page.text()).toBe('<h1>page</h1>')
    expect(page.headers.get('cache-control')).toBe('no-cache')
  })

  it('answers paths of the app’s own router with the page', async () => {
    expect(await (await fetch(`${url}/tasks/7?open=1`)).text()).toBe('<h1>page</h1>')
  })

  it.each([
    '/missing.js',
    '/_workbench',
    '/_workbench/api/manifest',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%zz.js',
  ])('has no file for %s', async (target) => {
    const response = await fetch(url + target)
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND', details: [] } }])
  })

  it('sends no bytes again that the browser has', async () => {
    const { headers } = await fetch(url)
    const again = await fetch(url, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('answers HEAD without a body and refuses to be written to', async () => {
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['13', ''])
    const post = await fetch(url, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
