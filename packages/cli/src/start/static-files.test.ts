import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStaticFiles } from './static-files.ts'
import { compressWebFiles } from '../build/web-files.ts'

const SCRIPT = 'run(1, 2, 3)\n'.repeat(200)
const { path } = temporaryFolder('static')
const put = (name: string, text: string): void => writeFileSync(join(path, name), text)
mkdirSync(join(path, 'web/assets'), { recursive: true })
mkdirSync(join(path, 'outside'))
mkdirSync(join(path, 'web-old'))
put('secret.txt', 'secret')
put('outside/later.txt', 'secret')
put('web-old/later.txt', 'secret')
put('web/index.html', '<h1>page</h1>')
put('web/assets/app-1a2b3c4d.js', SCRIPT)
put('web/assets/logo-1234.txt', '0123456789')
put('web/empty.txt', '')
put('web/later.txt', 'later')
put('web/.env', 'KEY=1')

let listener: RequestListener = () => {}
const server = createServer((incoming, response) => listener(incoming, response))
let port = 0

beforeAll(async () => {
  const folder = join(path, 'web')
  listener = createStaticFiles(folder, await compressWebFiles(folder, new Set(['assets/app-1a2b3c4d.js'])))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

interface RawResponse {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends a raw request: `fetch` would normalize the path and decompress responses. */
function send(target: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path: target, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    outgoing.on('error', reject).end()
  })
}

const SCRIPT_PATH = '/assets/app-1a2b3c4d.js'

describe('createStaticFiles', () => {
  it('sends immutable for hashed files and no-cache for all other files', async () => {
    const script = await send(SCRIPT_PATH)
    expect(script.body.toString()).toBe(SCRIPT)
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect((await send('/')).headers['cache-control']).toBe('no-cache')
    expect((await send('/assets/logo-1234.txt')).headers['cache-control']).toBe('no-cache')
  })

  it('sends security headers against framing, sniffing and referrer leaks', async () => {
    for (const target of ['/', '/deep/link', SCRIPT_PATH]) {
      expect((await send(target, { accept: 'text/html' })).headers).toMatchObject({
        'content-security-policy': "frame-ancestors 'self'; base-uri 'self'",
        'x-frame-options': 'SAMEORIGIN',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
      })
    }
  })

  it('overrides and removes headers as configured', async () => {
    const before = listener
    const files = await compressWebFiles(join(path, 'web'), new Set())
    listener = createStaticFiles(join(path, 'web'), files, {
      'X-Frame-Options': null,
      'Referrer-Policy': 'no-referrer',
      'x-robots-tag': 'none',
    })
    const { headers } = await send('/')
    listener = before
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'none' })
    expect(headers).toHaveProperty('content-security-policy')
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  it('sends the preferred encoding, and a different etag for each encoding', async () => {
    const [br, zipped, plain] = await Promise.all(
      ['gzip, br', 'br;q=0.1, gzip', 'identity'].map((accepted) => send(SCRIPT_PATH, { 'accept-encoding': accepted })),
    )
    expect(brotliDecompressSync(br?.body ?? '').toString()).toBe(SCRIPT)
    expect(gunzipSync(zipped?.body ?? '').toString()).toBe(SCRIPT)
    const all = [br, zipped, plain]
    expect(all.map((response) => response?.headers['content-encoding'])).toEqual(['br', 'gzip', undefined])
    expect(all.map((response) => response?.headers.vary)).toEqual(Array(3).fill('accept-encoding'))
    expect(all.map((response) => Number(response?.headers['content-length']))).toEqual(
      all.map((response) => response?.body.length),
    )
    expect(new Set(all.map((response) => response?.headers.etag)).size).toBe(3)
  })

  it('responds with 304 if the browser has the file in the same encoding', async () => {
    const br = { 'accept-encoding': 'br' }
    const { headers } = await send(SCRIPT_PATH, br)
    for (const known of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
      const again = await send(SCRIPT_PATH, { ...br, 'if-none-match': known })
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
      expect(again.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': headers['cache-control'] })
    }
    expect((await send(SCRIPT_PATH, { 'if-none-match': headers.etag })).status).toBe(200)
  })

  it('sends a requested range of the chosen encoding', async () => {
    const part = await send('/assets/logo-1234.txt', { range: 'bytes=2-4' })
    expect([part.status, part.body.toString()]).toEqual([206, '234'])
    expect(part.headers).toMatchObject({
      'content-range': 'bytes 2-4/10',
      'content-length': '3',
      'accept-ranges': 'bytes',
    })
    const br = { 'accept-encoding': 'br' }
    const whole = await send(SCRIPT_PATH, br)
    const tail = await send(SCRIPT_PATH, { ...br, range: 'bytes=5-', 'if-range': whole.headers.etag })
    expect([tail.status, Buffer.compare(tail.body, whole.body.subarray(5))]).toEqual([206, 0])
    expect((await send(SCRIPT_PATH, { ...br, range: 'bytes=5-', 'if-range': '"old"' })).status).toBe(200)
    const beyond = await send('/assets/logo-1234.txt', { range: 'bytes=10-' })
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10'])
  })

  it('sends no-store and no etag with 416', async () => {
    const { status, headers } = await send('/assets/logo-1234.txt', { range: 'bytes=10-' })
    expect([status, headers['cache-control'], headers.etag]).toEqual([416, 'no-store', undefined])
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('evaluates If-Match before other conditions, and ignores dates', async () => {
    const { headers } = await send(SCRIPT_PATH)
    for (const tag of [headers.etag, `"other", ${headers.etag}`, '*'])
      expect((await send(SCRIPT_PATH, { 'if-match': tag })).status).toBe(200)
    for (const tag of ['"other"', `W/${headers.etag}`]) {
      const rejected = await send(SCRIPT_PATH, { 'if-match': tag, 'if-none-match': headers.etag, range: 'bytes=0-1' })
      expect([rejected.status, rejected.headers.etag, rejected.headers['cache-control']]).toEqual([
        412,
        headers.etag,
        'no-store',
      ])
      expect(JSON.parse(rejected.body.toString())).toMatchObject({ error: { code: 'PRECONDITION_FAILED' } })
    }
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
    expect(headers['last-modified']).toBeUndefined()
    expect((await send(SCRIPT_PATH, { 'if-unmodified-since': date, 'if-modified-since': date })).status).toBe(200)
  })

  it('responds to HEAD like GET without a body or ranges, and to POST with 405', async () => {
    for (const accepted of ['br', 'identity']) {
      const headers = { 'accept-encoding': accepted }
      const [get, head] = [await send(SCRIPT_PATH, headers), await send(SCRIPT_PATH, headers, 'HEAD')]
      const [{ date: _, ...ofGet }, { date: __, ...ofHead }] = [get.headers, head.headers]
      expect([head.status, head.body.length, ofHead]).toEqual([200, 0, ofGet])
    }
    expect((await send('/assets/logo-1234.txt', { range: 'bytes=0-1' }, 'HEAD')).headers['content-length']).toBe('10')
    const post = await send('/', {}, 'POST')
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('sends an empty file', async () => {
    const empty = await send('/empty.txt')
    expect([empty.status, empty.headers['content-length'], empty.body.length]).toEqual([200, '0', 0])
  })

  it.each(['/tasks/7?open=1', '/release/v1.2', '/users/ada.lovelace', '/apiary', '/agents', '/%zz'])(
    'sends the page for %s',
    async (target) => {
      const { status, body } = await send(target, { accept: 'text/html' })
      expect([status, body.toString()]).toEqual([200, '<h1>page</h1>'])
    },
  )

  it.each([
    '/missing.js',
    '/missing.css?v=1',
    '/photo.webmanifest',
    '/_workbench',
    '/_workbench/api/manifest',
    '//_workbench',
    '//api/tasks',
    '/%61pi/tasks',
    '/x/../api/tasks',
    '/./agent/echo',
    '/x/%2e%2e/ws/chat',
    '/\\api/tasks',
    '/..%2fsecret.txt',
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/%2e%2e/secret.txt',
    '/.env',
    '/.git/config',
    '/.hidden',
    '/assets/app-1a2b3c4d.js.br',
    '/%zz.js',
  ])('responds with 404 for %s', async (target) => {
    const { status, body } = await send(target, { accept: 'text/html' })
    expect([status, JSON.parse(body.toString())]).toMatchObject([404, { error: { code: 'NOT_FOUND', details: [] } }])
  })

  it('responds with 404 for deleted files and for links to other folders', async () => {
    expect((await send('/later.txt')).body.toString()).toBe('later')
    unlinkSync(join(path, 'web/later.txt'))
    expect((await send('/later.txt')).status).toBe(404)
    for (const folder of ['outside', 'web-old']) {
      symlinkSync(join(path, folder, 'later.txt'), join(path, 'web/later.txt'))
      expect((await send('/later.txt')).status).toBe(404)
      unlinkSync(join(path, 'web/later.txt'))
    }
    renameSync(join(path, 'web/assets'), join(path, 'outside/assets'))
    symlinkSync(join(path, 'outside/assets'), join(path, 'web/assets'))
    expect((await send('/assets/logo-1234.txt')).status).toBe(404)
  })
})
