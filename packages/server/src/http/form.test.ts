import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, readForm, serve, type Server } from '../index.ts'

const router = createRouter().on('POST /api/files', async (ctx) => {
  const file = (await readForm(ctx.request, 1000)).get('file')
  return file instanceof File ? { name: file.name, type: file.type, text: await file.text() } : file
})

let server: Server
beforeAll(async () => {
  server = await serve(createApp({ router, log: { debug() {}, info() {}, warn() {}, error() {} } }), { port: 0 })
})
afterAll(() => server.close())

async function post(body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<unknown> {
  // TypeScript does not know `duplex` beside the DOM's types.
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const response = await fetch(`${server.url}/api/files`, init)
  const answer = (await response.json()) as { error?: { code: string } }
  return answer?.error?.code ?? answer
}

function formOf(text: string): FormData {
  const form = new FormData()
  form.set('file', new File([text], 'tea.txt', { type: 'text/plain' }))
  return form
}

describe('readForm', () => {
  it('gives the files and fields of a form', async () => {
    expect(await post(formOf('Earl Grey'))).toEqual({ name: 'tea.txt', type: 'text/plain', text: 'Earl Grey' })
    expect(await post(new URLSearchParams({ file: 'none' }))).toBe('none')
  })

  it('refuses more bytes than allowed, also where no length is told', async () => {
    expect(await post(formOf('x'.repeat(1001)))).toBe('CONTENT_TOO_LARGE')
    const { body, headers } = new Response(formOf('x'.repeat(1001)))
    expect(await post(body ?? '', { 'content-type': headers.get('content-type') ?? '' })).toBe('CONTENT_TOO_LARGE')
  })

  it('refuses what is no form', async () => {
    expect(await post('text')).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(await post('text', { 'content-type': 'multipart/form-data; boundary=x' })).toBe('INVALID_REQUEST')
    expect(await post('text', { 'content-type': 'multipart/form-data' })).toBe('INVALID_REQUEST')
  })
})
