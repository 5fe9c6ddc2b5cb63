import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLOSE, ERROR_STATUS } from '@sdk/protocol'
import { parseSync, Visitor } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = (name: string): string => readFileSync(join(root, 'docs/reference', `${name}.md`), 'utf8')

/** Returns the first cells of all table rows, if they are code. */
function firstCells(text: string): string[] {
  return Array.from(text.matchAll(/^\| `([^`]+)`/gm), ([, cell = '']) => cell)
}

/** Returns the sources that users run, without tests and the pages of the workbench. */
function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => /\.tsx?$/.test(path) && !/\.test[.-]|workbench\/src\/ui\/|server\/src\/openapi\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const PACKAGES = ['server', 'react', 'frontend', 'auth', 'database', 'redis', 'workbench', 'cli', 'create', 'protocol']
const all = PACKAGES.flatMap((name) => sources(`packages/${name}/src`))

describe('errors.md', () => {
  it('lists exactly the error codes, with their status', () => {
    const text = page('errors')
    const section = text.slice(text.indexOf('## Codes'), text.indexOf('## Client errors'))
    const rows = Array.from(section.matchAll(/^\| `(\w+)` +\| (\d*)/gm), ([, code = '', status = '']) => [
      code,
      Number(status),
    ])
    expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS)
  })

  it('lists every detail code', () => {
    const type = readFileSync(join(root, 'packages/protocol/src/api-error.ts'), 'utf8')
    const codes = Array.from(
      /type DetailCode =([^/]*)/.exec(type)?.[1]?.matchAll(/'(\w+)'/g) ?? [],
      ([, code = '']) => code,
    )
    const text = page('errors')
    const section = text.slice(text.indexOf('## Details'), text.indexOf('## Auth routes'))
    expect(codes.length).toBeGreaterThan(10)
    expect(firstCells(section).toSorted()).toEqual(codes.toSorted())
  })
})

describe('options.md', () => {
  it('marks options with a default as optional', () => {
    const tables = page('options')
      .split(/\n{2,}/)
      .filter((part) => /^\| Name +\| Type +\| Default +\|/.test(part))
    const rows = tables.flatMap((table) => Array.from(table.matchAll(/^\| `(\w+\??)` +\|(?:[^|]|\\\|)*\| +([^| ])?/gm)))
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.filter(([, name = '', first]) => first !== undefined && !name.endsWith('?'))).toEqual([])
  })
})

describe('wire.md', () => {
  it('lists exactly the close codes', () => {
    const text = page('wire')
    const section = text.slice(text.indexOf('### Close codes'))
    const codes = firstCells(section)
      .map(Number)
      .filter((code) => code >= 1000)
    expect(codes.toSorted((a, b) => a - b)).toEqual(Object.values(CLOSE).toSorted((a, b) => a - b))
  })

  it('lists exactly the frame types', () => {
    const text = page('wire')
    const source = readFileSync(join(root, 'packages/protocol/src/socket.ts'), 'utf8')
    const kinds = new Set(Array.from(source.matchAll(/(?:\{|^ {6})\s?o: '(\w+)'/gm), ([, kind = '']) => kind))
    const listed = new Set(Array.from(text.matchAll(/^\| `\{"o":"(\w+)"/gm), ([, kind = '']) => kind))
    expect([...listed].toSorted()).toEqual([...kinds].toSorted())
  })

  const [, headers = ''] = page('wire').split(/^## (?:Request headers|Streams)$/m)
  const listed = new Set(firstCells(headers).map((name) => name.toLowerCase()))

  it('lists every header that the packages read or write', () => {
    const missing = all.flatMap(({ path, text }) => headersIn(path, text).map((name) => `${name} in ${path}`))
    expect(missing.filter((line) => !listed.has(line.split(' ')[0] ?? ''))).toEqual([])
  })

  it('lists no unused header', () => {
    const code = all.map(({ text }) => text.toLowerCase()).join('\n')
    expect([...listed].filter((name) => !new RegExp(`['"\`\\n\\s]${name}['"\`:,\\s]`).test(code))).toEqual([])
  })
})

describe('environment.md', () => {
  const listed = firstCells(page('environment'))
  const read = new Set(
    all.flatMap(({ text }) => [
      ...Array.from(text.matchAll(/\benv(?:\?)?(?:\.)?\[['"](\w+)['"]\]/g), ([, name = '']) => name),
      ...Array.from(
        text.matchAll(/\{([^{}]*)\} = env\b/g),
        ([, names = '']) => names.match(/\b[A-Z][A-Z_]+\b/g) ?? [],
      ).flat(),
    ]),
  )

  it('lists every variable that the packages read', () =>
    expect([...read].filter((name) => !listed.includes(name))).toEqual([]))
  it('lists no unused variable', () => expect(listed.filter((name) => !read.has(name))).toEqual([]))
})

/** Returns header names: arguments of `header(…)` and `headers.get(…)`, and keys that look like headers. */
function headersIn(path: string, text: string): string[] {
  const found = new Set<string>()
  const add = (name: unknown): void => {
    if (typeof name === 'string' && /^[a-z][a-z0-9-]*$/i.test(name)) found.add(name.toLowerCase())
  }
  const hasHeaders = /\bheaders?\b/i.test(text)
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (first?.type !== 'Literal') return
      const isHeader =
        callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'header'
      const isHeaders =
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        ['get', 'set', 'has', 'append'].includes(callee.property.name) &&
        /headers$/i.test(text.slice(callee.object.start, callee.object.end))
      if (isHeader || isHeaders) add(first.value)
    },
    MemberExpression({ object, property }) {
      if (property.type === 'Literal' && /headers$/i.test(text.slice(object.start, object.end))) add(property.value)
    },
    Property({ key }) {
      const isDashed = key.type === 'Literal' && typeof key.value === 'string' && key.value.includes('-')
      if (isDashed && hasHeaders && !NO_HEADERS.has(key.value)) add(key.value)
    },
  }).visit(parseSync(path, text).program)
  return [...found]
}

/** Keys with a dash that are not headers. */
const NO_HEADERS: ReadonlySet<unknown> = new Set(['sign-up', 'x-wildcard-routes'])
