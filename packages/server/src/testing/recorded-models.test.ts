import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openModels, type RecordedModels } from './recorded-models.ts'

const URL_OF_MODEL = 'https://api.model.test/v1/chat/completions'
const KEY = 'sk-proj-Zm9yLXRlc3RzLW9ubHk'

let folder = ''
let own: RecordedModels[] = []
const send = vi.fn<(request: Request) => Promise<Response>>()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'models-'))
  own = []
  send.mockReset().mockImplementation(async (request) => Response.json({ echo: await request.text() }))
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) => send(new Request(input, init)))
  vi.stubEnv('CI', '')
})
afterEach(async () => {
  await Promise.allSettled(own.map((models) => models.close()))
  rmSync(folder, { recursive: true })
})

function open(mode: 'record' | 'replay', path: string = folder): RecordedModels {
  vi.stubEnv('MODELS', mode)
  const models = openModels(path)
  own.push(models)
  return models
}

function ask(content: string, init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ model: 'gpt', messages: [{ role: 'user', content }] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
  return fetch(URL_OF_MODEL, { method: 'POST', body, headers, ...init })
}

async function record(...contents: string[]): Promise<void> {
  const models = open('record')
  for (const content of contents) await (await ask(content)).text()
  await models.close()
}

const files = (): string[] => readdirSync(folder)
const textOfFiles = (): string =>
  files()
    .map((name) => name + readFileSync(join(folder, name), 'utf8'))
    .join()

function streamOf(chunks: readonly Uint8Array[]): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function chunksOf(response: Response): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return chunks
}

describe('recorded models', () => {
  it('are one readable file per call, without headers', async () => {
    await record('Tea?')
    const [name = ''] = files()
    expect(name).toMatch(/^api\.model\.test-completions-[0-9a-f]{16}\.json$/)
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toEqual({
      method: 'POST',
      host: 'api.model.test',
      path: '/v1/chat/completions',
      body: { model: 'gpt', messages: [{ role: 'user', content: 'Tea?' }] },
      status: 200,
      type: 'application/json',
      chunks: [{ echo: expect.stringContaining('Tea?') as string }],
    })
  })

  it('are found whatever the order of the names and the times in a body', async () => {
    await record('Created at 2026-01-02T03:04:05.678Z')
    const models = open('replay')
    const body = JSON.stringify({
      messages: [{ content: 'Created at 2030-11-12T13:14:15.161Z', role: 'user' }],
      model: 'gpt',
    })
    expect((await fetch(URL_OF_MODEL, { method: 'POST', body })).status).toBe(200)
    await models.close()
    expect(send).toHaveBeenCalledTimes(1)
  })

  it('replay any chunks at the same boundaries', async () => {
    const bytes = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 5 })
    const texts = fc.array(fc.string({ minLength: 1, unit: codePoint }), { maxLength: 5 })
    const encoded = texts.map((all) => all.map((text) => new TextEncoder().encode(text)))
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, encoded), async (chunks) => {
        rmSync(folder, { recursive: true })
        send.mockImplementation(async () => streamOf(chunks))
        await record('Tea?')
        const models = open('replay')
        expect(await chunksOf(await ask('Tea?'))).toEqual(chunks)
        await models.close()
      }),
      { numRuns: 30, examples: [[[]]] },
    )
  })

  it('join a character that is split between two chunks', async () => {
    const [tea, cup] = [new TextEncoder().encode('tea \u{1f375}'), new TextEncoder().encode(' cup')]
    send.mockImplementation(async () => streamOf([tea.subarray(0, 6), tea.subarray(6), cup]))
    await record('Tea?')
    const models = open('replay')
    const texts = (await chunksOf(await ask('Tea?'))).map((chunk) => new TextDecoder().decode(chunk))
    expect(texts).toEqual(['tea ', '\u{1f375}', ' cup'])
    await models.close()
  })

  it('contain no secrets', async () => {
    vi.stubEnv('ANOTHER_API_KEY', 'a-secret-of-the-environment')
    const [start, end] = [KEY.slice(0, 9), KEY.slice(9)].map((text) => new TextEncoder().encode(text))
    send.mockImplementation(async () => streamOf([start ?? new Uint8Array(), end ?? new Uint8Array()]))
    const models = open('record')
    const post = async (url: string, body: BodyInit): Promise<string> =>
      (await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${KEY}` } })).text()
    await post(
      `${URL_OF_MODEL}?key=a-key-in-the-query&alt=sse`,
      JSON.stringify({ tools: [{ authorization: 'a-key' }] }),
    )
    await post(URL_OF_MODEL, `the key is ${KEY}`)
    await post(URL_OF_MODEL, JSON.stringify({ text: 'a-secret-of-the-environment' }))
    await post(URL_OF_MODEL, new URLSearchParams({ client_secret: 'a-secret', a: 'b' }))
    await models.close()
    expect(files()).toHaveLength(4)
    expect(textOfFiles()).not.toMatch(/sk-proj|a-key|a-secret/)
    expect(textOfFiles()).toContain('?key=redacted&alt=sse')
    const replayed = open('replay')
    await post(`${URL_OF_MODEL}?key=another-key&alt=sse`, JSON.stringify({ tools: [{ authorization: 'another' }] }))
    await post(URL_OF_MODEL, `the key is ${KEY}`)
    await replayed.close()
    expect(send).toHaveBeenCalledTimes(4)
  })

  it('distinguish the models of a gateway, which are headers', async () => {
    const models = open('record')
    for (const id of ['openai/gpt', 'google/gemini']) await ask('Tea?', { headers: { 'ai-language-model-id': id } })
    await models.close()
    expect(files()).toHaveLength(2)
  })

  it('send equal requests once, even at the same time, and requests for a state again', async () => {
    let state = 0
    send.mockImplementation(async () => Response.json({ state: ++state }))
    const models = open('record')
    const read = async (response: Promise<Response>): Promise<unknown> => (await response).json()
    expect(await Promise.all([read(ask('Tea?')), read(ask('Tea?'))])).toEqual([{ state: 1 }, { state: 1 }])
    expect(await read(fetch('https://api.model.test/job'))).toEqual({ state: 2 })
    expect(await read(fetch('https://api.model.test/job'))).toEqual({ state: 3 })
    await models.close()
    const replayed = open('replay')
    expect(await read(ask('Tea?'))).toEqual({ state: 1 })
    expect(await read(fetch('https://api.model.test/job'))).toEqual({ state: 3 })
    await replayed.close()
  })

  it('do not contain responses after which a client retries, failures and cancelled streams', async () => {
    const responses = [401, 429, 500].map((status) => new Response('busy', { status }))
    send.mockImplementation(async () => responses.shift() ?? Response.json('Tea'))
    const models = open('record')
    for (const status of [401, 429, 500]) expect((await ask('Tea?')).status).toBe(status)
    send.mockRejectedValueOnce(new TypeError('fetch failed'))
    await expect(ask('Tea?')).rejects.toThrow('fetch failed')
    const abort = new AbortController()
    const stream = new ReadableStream({
      start(controller) {
        abort.signal.addEventListener('abort', () => controller.error(abort.signal.reason))
      },
    })
    send.mockImplementationOnce(async () => new Response(stream))
    const cancelled = await ask('Tea?')
    abort.abort()
    await expect(cancelled.text()).rejects.toThrow('abort')
    expect(files()).toEqual([])
    expect(await (await ask('Tea?')).json()).toBe('Tea')
    await models.close()
    expect(files()).toHaveLength(1)
  })

  it('reject a request that is not recorded, and fail when the app is closed', async () => {
    const models = open('replay')
    const empty = /^POST api\.model\.test\/v1\/chat\/completions is not recorded in .*: run the test with MODELS=record/
    await expect(ask('Tea?')).rejects.toThrow(empty)
    await expect(models.close()).rejects.toThrow(empty)
    await record('Tea in London?', 'Coffee in Paris?')
    const full = open('replay')
    const message = String(await ask('Coffee in Rome?').catch((error: unknown) => error))
    expect(message).toContain('body.messages[0].content: got "Coffee in Rome?", recorded "Coffee in Paris?"')
    await expect(ask('Tea?', { method: 'PUT' })).rejects.toThrow('differs in method: got "PUT", recorded "POST"')
    await expect(full.close()).rejects.toThrow('Coffee in Rome?')
    expect(send).toHaveBeenCalledTimes(2)
  })

  it('do not affect requests to this machine', async () => {
    const models = open('replay')
    for (const url of ['http://127.0.0.1:1/', 'http://localhost:1/', 'http://[::1]:1/', 'http://api.localhost/'])
      expect((await fetch(url)).status).toBe(200)
    expect(await (await fetch('data:text/plain,tea')).text()).toContain('echo')
    await models.close()
    expect(files()).toEqual([])
  })

  it('stay in their folder, whatever the URL', async () => {
    const models = open('record')
    for (const path of ['/%2e%2e%2f%2e%2e%2fetc', '/a\\..\\b', '/..;/..%5c', `/${'long'.repeat(200)}`, '/%00', '/'])
      await fetch(`https://api.model.test${path}`)
    await models.close()
    expect(files()).toHaveLength(6)
    expect(files().filter((name) => !/^[a-z0-9.-]{1,102}$/.test(name) || name.includes('..'))).toEqual([])
  })

  it.each([
    ['{', 'JSON'],
    ['null', 'null'],
    ['[]', '"method"'],
    ['{"method":"POST","host":"a","path":"../../etc"}', '"path"'],
    ['{"method":"POST","host":"a","path":"/","chunks":[1,2],"type":"","status":200}', '"chunks"'],
    ['{"method":"POST","host":"a","path":"/","chunks":[],"type":"","status":"200"}', '"status"'],
    ['{"method":"POST","host":"a","path":"/","chunks":[],"type":"","status":700}', 'status'],
    ['{"method":"POST","host":"a","path":"/","chunks":["a"],"type":"","status":204}', 'body|status'],
    ['{"method":"POST","host":"a","path":"/","chunks":[],"type":"a\\nb","status":200}', 'header'],
    [
      `{"method":"POST","host":"a","path":"/","chunks":[],"type":"","status":200,"body":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      'stack',
    ],
  ])('name a file that is not a recording, case %#', (text, problem) => {
    writeFileSync(join(folder, 'broken.json'), text)
    const message = new RegExp(`${join(folder, 'broken.json')} is not a recorded model call: .*${problem}.*`, 's')
    expect(() => open('replay')).toThrow(message)
  })

  it('name two files with the same request', async () => {
    await record('Tea?')
    const [name = ''] = files()
    writeFileSync(join(folder, 'copy.json'), readFileSync(join(folder, name)))
    expect(() => open('replay')).toThrow(`${folder}/copy.json and ${name} must not record the same call`)
  })

  it('are shared by all apps with the same folder, and restore fetch after the last one', async () => {
    const original = fetch
    await record('Tea?', 'Coffee?')
    const [first, second] = [open('replay'), open('replay')]
    const other = open('replay', join(folder, 'other'))
    await (await ask('Tea?')).text()
    expect(await first.close()).toEqual([])
    expect(await first.close()).toEqual([])
    expect(await second.close()).toHaveLength(1)
    expect(fetch).not.toBe(original)
    await other.close()
    expect(fetch).toBe(original)
  })

  it('cannot be recorded into two folders at a time, or where files cannot be written', async () => {
    const [models, other] = [open('record'), open('record', join(folder, 'other'))]
    await expect(ask('Tea?')).rejects.toThrow('cannot be recorded into 2 folders at a time')
    await Promise.all([models.close(), other.close()])
    const blocked = open('record', join(folder, 'file/models'))
    writeFileSync(join(folder, 'file'), '')
    expect((await ask('Tea?')).status).toBe(200)
    await expect(blocked.close()).rejects.toThrow('ENOTDIR')
  })

  it('reject unknown modes', () => {
    vi.stubEnv('MODELS', 'yes')
    expect(() => openModels(folder)).toThrow('MODELS must be "record" or "replay", got "yes"')
  })
})
