import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, readForm, serve, type Server } from '../index.ts'
import type { FormOptions } from './form.ts'

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
  // `duplex` is missing from TypeScript's DOM types.
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const response = await fetch(`${server.url}/api/files`, init)
  const result = (await response.json()) as { error?: { code: string } }
  return result?.error?.code ?? result
}

function formOf(text: string): FormData {
  const form = new FormData()
  form.set('file', new File([text], 'tea.txt', { type: 'text/plain' }))
  return form
}

describe('readForm', () => {
  it('returns the files and fields of a form', async () => {
    expect(await post(formOf('Earl Grey'))).toEqual({ name: 'tea.txt', type: 'text/plain', text: 'Earl Grey' })
    expect(await post(new URLSearchParams({ file: 'none' }))).toBe('none')
  })

  it('rejects a form over the size limit, with or without Content-Length', async () => {
    expect(await post(formOf('x'.repeat(1001)))).toBe('CONTENT_TOO_LARGE')
    const { body, headers } = new Response(formOf('x'.repeat(1001)))
    expect(await post(body ?? '', { 'content-type': headers.get('content-type') ?? '' })).toBe('CONTENT_TOO_LARGE')
  })

  it('rejects a body that is not a form', async () => {
    expect(await post('text')).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(await post('text', { 'content-type': 'multipart/form-data; boundary=x' })).toBe('INVALID_REQUEST')
    expect(await post('text', { 'content-type': 'multipart/form-data' })).toBe('INVALID_REQUEST')
  })

  it('accepts 1,000 parts and rejects one more', async () => {
    const form = new FormData()
    const fields = new URLSearchParams()
    for (let n = 0; n < 1000; n++) {
      form.append('file', n % 2 === 0 ? `${n}` : new File([], `${n}.txt`))
      fields.append('file', '')
    }
    expect(await count(form)).toBe(1000)
    expect(await count(fields)).toBe(1000)
    form.append('file', 'one more')
    fields.append('file', 'one more')
    const tooMany = { code: 'CONTENT_TOO_LARGE', status: 413, message: 'the form has more than 1000 fields and files' }
    await expect(count(form)).rejects.toMatchObject(tooMany)
    await expect(count(fields)).rejects.toMatchObject(tooMany)
    expect(await count(form, { parts: 1001 })).toBe(1001)
    await expect(count(form, { parts: 1 })).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })

  it('rejects too many header bytes, in one part or in total', async () => {
    const part = (bytes: number): string =>
      `--xyz\r\ncontent-disposition: form-data; name="a"\r\nx: ${'y'.repeat(bytes)}\r\n\r\nvalue\r\n`
    const whole = (...parts: string[]): Promise<number> =>
      count(`${parts.join('')}--xyz--\r\n`, {}, 'multipart/form-data; boundary=xyz')
    const tooLarge = { code: 'CONTENT_TOO_LARGE', message: /headers of the form's parts/ }
    expect(await whole(part(100), part(10_000), part(100))).toBe(3)
    await expect(whole(part(262_144))).rejects.toMatchObject(tooLarge)
    await expect(whole(...Array.from({ length: 300 }, () => part(1000)))).rejects.toMatchObject(tooLarge)
  })

  it.each([
    ['in quotes', 'multipart/form-data; boundary="a b:c"', 'a b:c'],
    ['between other parameters', 'Multipart/Form-Data; charset=utf-8; Boundary=a-b; x=y', 'a-b'],
    ['that is repeated', 'multipart/form-data; boundary=first; boundary=second', 'first'],
  ])('counts the parts with a boundary %s', async (_name, type, boundary) => {
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(3)
    expect(await count(`${body}--${boundary}--\r\n`, {}, type)).toBe(3)
    await expect(count(`${body}--${boundary}--\r\n`, { parts: 2 }, type)).rejects.toMatchObject({ status: 413 })
  })

  it('counts the parts of any form', async () => {
    const value = fc.string({ unit: fc.constantFrom('a', '-', '\r\n', '\r', '\n', '--', 'ü', '\0', '&', '=') })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 8 }), async (values) => {
        const form = new FormData()
        for (const [text, isFile] of values) form.append('a', isFile ? new File([text], 'b') : text)
        expect(await count(form, { parts: values.length })).toBe(values.length)
        await expect(count(form, { parts: values.length - 1 })).rejects.toMatchObject({ status: 413 })
      }),
    )
  })
})

async function count(body: BodyInit, options?: FormOptions, type?: string): Promise<number> {
  const headers = type === undefined ? {} : { 'content-type': type }
  const request = new Request('http://localhost/', { method: 'POST', body, headers })
  return [...(await readForm(request, 10_000_000, options)).keys()].length
}
