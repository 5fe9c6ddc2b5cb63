import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sourceConditions } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_INPUT, type CallInput } from '../../input/call-input.ts'
import { snippetsOf, type TestOptions } from './snippets.ts'

const ORIGIN = 'http://127.0.0.1:3000'

function codeOf(title: string, route: string, input: Partial<CallInput>): string {
  const snippets = snippetsOf(route, { ...EMPTY_INPUT, ...input }, { origin: ORIGIN })
  return snippets.find((one) => one.title === title)?.code ?? ''
}

/** Returns the arguments that a shell passes to a program. */
function wordsOf(program: string, script: string): string[] {
  const stub = `${program}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n`
  return execFileSync('sh', ['-c', stub + script], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

/** Any text that a user may type, with quotes, dollar signs and line breaks. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(fc.constantFrom("'", '"', '$HOME', '`id`', '\\', '\n', '!', '@', ' ', '%', '#', '*', '-'), { maxLength: 8 })
    .map((some) => some.join('')),
)

describe('the curl snippet', () => {
  it('passes the exact input through a shell', () => {
    fc.assert(
      fc.property(text, text, (value, other) => {
        const body = JSON.stringify({ value, [other]: 1 })
        const words = wordsOf('curl', codeOf('curl', 'POST /agent/echo', { body, headers: [['x-a', value.trim()]] }))
        expect(words).toEqual([
          '-N',
          '-X',
          'POST',
          `${ORIGIN}/agent/echo`,
          '-H',
          'content-type: application/json',
          '-H',
          `x-a: ${value.trim()}`,
          '--data-raw',
          body,
        ])
      }),
      { numRuns: 40 },
    )
  })

  it('fills in the path and the query', () => {
    const input = { params: { id: "it's" }, query: { fields: ['a', 'b'], done: true } }
    expect(wordsOf('curl', codeOf('curl', 'GET /api/v1/tasks/:id', input))).toEqual([
      '-N',
      `${ORIGIN}/api/v1/tasks/it's?fields=a%2Cb&done=true`,
    ])
  })

  it('reads the token of the chosen user from the environment', () => {
    const caller = { email: 'ada@example.com' }
    const [curl, fetching] = snippetsOf('GET /api/mine', EMPTY_INPUT, { origin: ORIGIN, caller })
    expect(wordsOf('curl', `TOKEN=abc\n${curl?.code ?? ''}`)).toContain('authorization: Bearer abc')
    expect(fetching?.code).toContain('authorization: `Bearer ${process.env.TOKEN}`')
  })
})

describe('the sdk run snippet', () => {
  it('passes exactly the input to the agent', () => {
    fc.assert(
      fc.property(text, (value) => {
        const body = JSON.stringify(value)
        const words = wordsOf('npx', codeOf('sdk run', 'POST /agent/echo', { body }))
        expect(words).toEqual(['sdk', 'run', 'echo', body, '--stream'])
      }),
      { numRuns: 20 },
    )
  })
})

describe('the fetch snippet', () => {
  it('sends the same value, for any value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        const body = JSON.stringify(value)
        const code = codeOf('fetch', 'POST /agent/echo', { body })
        let sent: unknown
        const fetch = async (_url: string, init: { body: string }): Promise<Response> => {
          sent = JSON.parse(init.body)
          return new Response('')
        }
        // oxlint-disable-next-line typescript/no-implied-eval -- a snippet is code to run
        const run = new Function('fetch', 'console', `return (async () => {${code}})()`) as (
          ...args: unknown[]
        ) => Promise<void>
        await run(fetch, { log() {} })
        expect(sent).toEqual(JSON.parse(body))
      }),
      // In an object literal, this name sets the prototype.
      { examples: [[JSON.parse('{"__proto__":{"a":1}}') as fc.JsonValue]] },
    )
  })

  it('sends a body that is not JSON unchanged', () => {
    expect(codeOf('fetch', 'POST /agent/echo', { body: '{"a"' })).toContain(`body: '{"a"',`)
  })
})

describe('the TypeScript snippets', () => {
  const root = path.resolve(import.meta.dirname, '../../../../../..')

  it('compile', () => {
    const calls: [string, Partial<CallInput>][] = [
      ['POST /agent/echo', { body: '{"text":"it\'s","list":[1,-0,null],"a b":{"c":true}}' }],
      ['POST /agent/nothing', {}],
      ['GET /api/v1/tasks/:id', { params: { id: '7' }, query: { fields: 'a,b' }, headers: [['x-a', 'b']] }],
      ['PATCH /api/v1/tasks/:id', { params: { id: '7' }, body: '{"done":true}' }],
      ['DELETE /api/v1/tasks/:id', { params: { id: '7' } }],
      ['/ws/chat', { body: '{"text":"hi"}' }],
    ]
    const folder = mkdtempSync(path.join(tmpdir(), 'snippets-'))
    try {
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
      mkdirSync(path.join(folder, 'src'))
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(toConfig(root)))
      const snippets = calls.flatMap(([route, input], index) =>
        snippetsOf(route, { ...EMPTY_INPUT, ...input }, { origin: ORIGIN, test: TESTS[index % TESTS.length] ?? {} }),
      )
      const tests = snippets.filter(({ title }) => title === 'Test').map(({ code }) => code)
      expect(tests.filter((code) => code.includes('{ models: `${import.meta.dirname}/models` }'))).toHaveLength(2)
      expect(tests.filter((code) => code.includes("from 'node:test'"))).toHaveLength(3)
      expect(tests[1]).toContain("await app.as({ id: 'u1', name: 'Ada' }).agent('nothing').collect()")
      expect(tests[1]).toContain('assert.deepEqual(output, [{ done: true }])')
      for (const [index, { title, code }] of snippets.entries()) {
        const isShell = title === 'curl' || title === 'sdk run'
        if (!isShell) writeFileSync(path.join(folder, `src/snippet-${index}.tsx`), `${code}\nexport {}\n`)
      }
      const compile = (): string =>
        execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
      expect(attempt(compile)).toBe('')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

const TESTS: readonly Partial<TestOptions>[] = [
  { models: 'models' },
  { runner: 'node:test', user: { userId: 'u1', name: 'Ada', email: null }, output: { done: true } },
  {},
  { runner: 'node:test', models: 'models' },
  {},
  { runner: 'node:test' },
]

function toConfig(root: string): object {
  return {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'ES2023',
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      jsx: 'react-jsx',
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules/@types')],
      customConditions: sourceConditions(),
      allowImportingTsExtensions: true,
    },
    include: ['src'],
  }
}

/** Returns the error of a compiler, or an empty string. */
function attempt(compile: () => string): string {
  try {
    return compile()
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error)
  }
}
