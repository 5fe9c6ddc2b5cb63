import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readForm, readFormParts } from '../index.ts'

const TYPE = 'multipart/form-data; boundary=xyz'

interface Spelling {
  /** The `Content-Disposition`, without its name. */
  readonly header: string
  readonly name?: string
  readonly filename?: string
}

/** The spellings of part headers that clients send. */
const SPELLINGS: Record<string, Spelling> = {
  'in quotes': { header: 'form-data; name="a"; filename="b.txt"', filename: 'b.txt' },
  'as tokens, like .NET': { header: 'form-data; name=a; filename=b.txt', filename: 'b.txt' },
  'tokens and quotes mixed': { header: 'form-data; name=a; filename="b.txt"', filename: 'b.txt' },
  'the other order': { header: 'form-data; filename="b.txt"; name="a"', filename: 'b.txt' },
  'no spaces': { header: 'form-data;name="a";filename="b.txt"', filename: 'b.txt' },
  'many spaces': { header: 'form-data ;  name = "a" ;\tfilename = "b.txt" ', filename: 'b.txt' },
  'in upper case': { header: 'FORM-DATA; NAME="a"; FileName="b.txt"', filename: 'b.txt' },
  'a semicolon at the end': { header: 'form-data; name="a"; filename="b.txt";', filename: 'b.txt' },
  'an unknown parameter': { header: 'form-data; x=y; name="a"; size=3; filename="b.txt"', filename: 'b.txt' },
  'a repeated name (the first is used)': { header: 'form-data; name="a"; name="c"; filename="b"', filename: 'b' },
  'a field': { header: 'form-data; name="a"' },
  'a field as a token': { header: 'form-data; name=a' },
  'an empty name': { header: 'form-data; name=""', name: '' },
  'an empty file name': { header: 'form-data; name="a"; filename=""', filename: '' },
  'a name with a semicolon': { header: 'form-data; name="a;b"; filename="c;d.txt"', name: 'a;b', filename: 'c;d.txt' },
  'a name with an equals sign': { header: 'form-data; name="a=b"; filename="c=d"', name: 'a=b', filename: 'c=d' },
  'a name with brackets': { header: 'form-data; name="a[0][b]"', name: 'a[0][b]' },
  'a token with brackets': { header: 'form-data; name=a[0]', name: 'a[0]' },
  'a quote as \\", like Go and curl': { header: 'form-data; name="a"; filename="b\\"c.txt"', filename: 'b"c.txt' },
  'a backslash as \\\\': { header: 'form-data; name="a"; filename="b\\\\c.txt"', filename: 'b\\c.txt' },
  'a Windows path': { header: 'form-data; name="a"; filename="C:\\dir\\b.txt"', filename: 'C:\\dir\\b.txt' },
  'a quote as %22, like browsers': {
    header: 'form-data; name="a%22b"; filename="c%22.txt"',
    name: 'a"b',
    filename: 'c".txt',
  },
  'line ends as %0D%0A': { header: 'form-data; name="a%0D%0Ab"', name: 'a\r\nb' },
  'other percent signs': { header: 'form-data; name="a"; filename="100%25.txt"', filename: '100%25.txt' },
  'raw UTF-8': { header: 'form-data; name="ä"; filename="€.txt"', name: 'ä', filename: '€.txt' },
  'raw emoji': { header: 'form-data; name="a"; filename="🍵.txt"', filename: '🍵.txt' },
  'RFC 5987': { header: "form-data; name=a; filename*=UTF-8''%E2%82%AC.txt", filename: '€.txt' },
  'RFC 5987 with a language': { header: "form-data; name=a; filename*=UTF-8'en'%E2%82%AC.txt", filename: '€.txt' },
  'RFC 5987 in lower case': { header: "form-data; name=a; filename*=utf-8''%e2%82%ac.txt", filename: '€.txt' },
  'RFC 5987 in Latin-1': { header: "form-data; name=a; filename*=iso-8859-1''%A3.txt", filename: '£.txt' },
  'RFC 5987 in quotes': { header: `form-data; name=a; filename*="UTF-8''%E2%82%AC.txt"`, filename: '€.txt' },
  'both, the plain one first': {
    header: `form-data; name=a; filename="e.txt"; filename*=UTF-8''%E2%82%AC.txt`,
    filename: '€.txt',
  },
  'both, the extended one first': {
    header: `form-data; name=a; filename*=UTF-8''%E2%82%AC.txt; filename="e.txt"`,
    filename: '€.txt',
  },
  'an invalid extended name': {
    header: `form-data; name=a; filename="e.txt"; filename*=UTF-8''%FF`,
    filename: 'e.txt',
  },
  'an unknown charset': { header: `form-data; name=a; filename="e.txt"; filename*=klingon''b`, filename: 'e.txt' },
  'an extended field name': { header: "form-data; name*=UTF-8''%E2%82%AC", name: '€' },
  'RFC 2231 continuations': {
    header: 'form-data; name=a; filename*0="long "; filename*1="name.txt"',
    filename: 'long name.txt',
  },
  'RFC 2231 continuations, encoded': {
    header: "form-data; name=a; filename*0*=UTF-8''%E2%82; filename*1*=%AC; filename*2=.txt",
    filename: '€.txt',
  },
  'RFC 2231 continuations in any order': {
    header: 'form-data; name=a; filename*1="b.txt"; filename*0="a-"',
    filename: 'a-b.txt',
  },
  'a header in two lines': { header: 'form-data; name="a";\r\n filename="b.txt"', filename: 'b.txt' },
}

const part = (header: string, content = 'tea', more = ''): string =>
  `--xyz\r\nContent-Disposition: ${header}\r\n${more}\r\n${content}\r\n`

function toRequest(body: string | Uint8Array<ArrayBuffer> | ReadableStream, type = TYPE): Request {
  // `duplex` is missing from TypeScript's DOM types.
  const init = { method: 'POST', body, headers: { 'content-type': type }, duplex: 'half' }
  return new Request('http://localhost/', init)
}

const read = (body: string, type?: string): Promise<FormData> => readForm(toRequest(body, type), 1_000_000)

describe('a part of a form', () => {
  it.each(Object.entries(SPELLINGS))('is parsed: %s', async (_name, { header, name = 'a', filename }) => {
    const [[key, value] = []] = [...(await read(`${part(header)}--xyz--\r\n`))]
    const [text, file] = value instanceof File ? [await value.text(), value.name] : [value, undefined]
    expect([key, file, text]).toEqual([name, filename, 'tea'])
  })

  it('has 40 tested spellings', () => {
    expect(Object.keys(SPELLINGS)).toHaveLength(40)
  })

  it('can have a file name in Latin-1, as old clients send it', async () => {
    const body = Buffer.from(`${part('form-data; name="a"; filename="\xE4.txt"')}--xyz--\r\n`, 'latin1')
    const form = await readForm(toRequest(new Uint8Array(body)), 1000)
    expect((form.get('a') as File).name).toBe('ä.txt')
  })

  it('can have its own charset', async () => {
    const head = part('form-data; name="a"', '\xA3', 'Content-Type: text/plain; charset=iso-8859-1\r\n')
    const form = await readForm(toRequest(new Uint8Array(Buffer.from(`${head}--xyz--`, 'latin1'))), 1000)
    expect(form.get('a')).toBe('£')
  })

  it.each([
    ['no disposition', '--xyz\r\n\r\ntea\r\n'],
    ['another disposition', part('attachment; name="a"')],
    ['no name', part('form-data; filename="b"')],
    ['an unterminated quote', part('form-data; name="a')],
    ['a header without a name', part('form-data; name="a"', 'tea', ': x\r\n')],
    ['a line that is not a header', part('form-data; name="a"', 'tea', 'nonsense\r\n')],
    ['base64', part('form-data; name="a"', 'dGVh', 'Content-Transfer-Encoding: base64\r\n')],
    ['an unknown charset', part('form-data; name="a"', 'tea', 'Content-Type: text/plain; charset=klingon\r\n')],
  ])('is rejected: %s', async (_name, body) => {
    await expect(read(`${body}--xyz--\r\n`)).rejects.toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })
})

describe('a form', () => {
  it.each([
    ['a preamble', `This is a form.\r\n${part('form-data; name=a')}--xyz--\r\n`],
    ['an epilogue', `${part('form-data; name=a')}--xyz--\r\nThat was a form.`],
    ['an empty line before it', `\r\n${part('form-data; name=a')}--xyz--\r\n`],
    ['no line end after it', `${part('form-data; name=a')}--xyz--`],
    ['spaces after a boundary', part('form-data; name=a').replace('--xyz', '--xyz \t').concat('--xyz--')],
  ])('can have %s', async (_name, body) => {
    expect([...(await read(body))]).toEqual([['a', 'tea']])
  })

  it.each([
    ['ends without its last boundary', part('form-data; name=a')],
    ['ends inside a header', '--xyz\r\nContent-Disp'],
    ['ends inside its first boundary', '--xy'],
    ['has a longer boundary', part('form-data; name=a').concat('--xyzzy\r\n\r\n')],
    ['is empty', ''],
  ])('is rejected if it %s', async (_name, body) => {
    await expect(read(body)).rejects.toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })

  it('is parsed independently of the chunk sizes', async () => {
    const content = fc.string({
      unit: fc.constantFrom('a', '-', '\r\n', '\r', '\n', '--', '--xy', '\r\n--xy', 'ü', '\0'),
    })
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 5 }), cuts, async (contents, sizes) => {
        const body = `preamble\r\n${contents.map((text) => part('form-data; name=a', text)).join('')}--xyz--\r\nepilogue`
        const form = await readForm(toRequest(toStream(Buffer.from(body), sizes)), 1_000_000)
        expect(form.getAll('a')).toEqual(contents)
      }),
    )
  })
})

describe('readFormParts', () => {
  const body = `${part('form-data; name=a; filename=b', 'first')}${part('form-data; name=c', 'second')}--xyz--\r\n`

  it('yields parts in order and skips unread bodies', async () => {
    const names: string[] = []
    for await (const { name, filename, type, body: bytes } of readFormParts(
      toRequest(toStream(Buffer.from(body), [3])),
      1000,
    )) {
      names.push(`${name} ${filename} ${type}`)
      for await (const chunk of bytes) {
        expect(chunk.length).toBeGreaterThan(0)
        break
      }
    }
    expect(names).toEqual(['a b text/plain', 'c null text/plain'])
  })

  it('cancels the request body if it is not read to the end', async () => {
    let isCancelled = false
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(part('form-data; name=a'))),
      cancel() {
        isCancelled = true
      },
    })
    for await (const { name } of readFormParts(toRequest(stream), 1_000_000)) {
      expect(name).toBe('a')
      break
    }
    expect(isCancelled).toBe(true)
  })
})

/** Returns the bytes in chunks of the given sizes, in turn. */
function toStream(bytes: Buffer, sizes: readonly number[]): ReadableStream {
  let at = 0
  let turn = 0
  return new ReadableStream({
    pull(controller) {
      const size = sizes[turn++ % sizes.length] ?? 1
      if (at < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)))
      else controller.close()
      at += size
    },
  })
}
