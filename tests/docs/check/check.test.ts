import { describe, expect, it } from 'vitest'
import { readBlocks } from './block.ts'
import { compilePages } from './compile.ts'
import { checkLanguages } from './languages.ts'
import { checkLinks } from './links.ts'
import { toPage } from './page.ts'
import { toSteps } from './project.ts'
import { checkShell, toCommands } from './shell.ts'

const AGENT = `// src/agent/echo/agent.ts: the whole of it
import { createAgent } from '@sdk/server'

export default createAgent('echo', { handler: () => ({ text: 'hello' }) })`

describe('readBlocks', () => {
  it('returns blocks with their language, words, file and line, including those in lists', () => {
    const text = `Text\n\n${fence('ts', '// src/a.ts: why\nconst a = 1')}\n- item\n\n  \`\`\`ts before\n  x\n    y\n  \`\`\`\n`
    expect(readBlocks(text)).toEqual([
      { language: 'ts', words: [], text: '// src/a.ts: why\nconst a = 1\n', line: 4, file: 'src/a.ts' },
      { language: 'ts', words: ['before'], text: 'x\n  y\n', line: 11, file: undefined },
    ])
  })

  it('ignores a first comment that is not a path', () => {
    expect(readBlocks(fence('ts', '// see a.ts\n1'))[0]?.file).toBeUndefined()
  })
})

describe('toSteps', () => {
  it('starts with the files of the base page and returns a step for each version of a file', () => {
    const pages = {
      base: toPage('base', fence('ts', '// a.ts\n0') + fence('ts', '// z.ts\n0')),
      page: toPage(
        'page',
        `<!-- project: base -->\n${['// a.ts\n1', '// b.ts\n1', '// a.ts\n2', '// b.ts\n2'].map((text) => fence('ts', text)).join('')}`,
      ),
    }
    const steps = toSteps(pages.page, () => pages.base)
    expect(steps.map((files) => [...files].map(([file, { text }]) => `${file} ${text.at(-2)}`))).toEqual([
      ['a.ts 1', 'z.ts 0', 'b.ts 1'],
      ['a.ts 2', 'z.ts 0', 'b.ts 2'],
    ])
  })
})

describe('compilePages', () => {
  it('reports errors with the lines of the pages and uses the types of routes', async () => {
    const call = (member: string): string =>
      `import { createClient } from '@sdk/frontend'\n\nvoid (await createClient().call('POST /agent/echo')).${member}`
    const app = toPage('app.md', `# App\n\n${fence('ts', AGENT)}${fence('ts', call('text'))}`)
    const more = toPage('more.md', `<!-- project: app.md -->\n${fence('ts', call('nope'))}`)
    const plain = toPage('plain.md', fence('ts', 'const n: number = 1\nconst s: string = n'))
    const foreign = toPage('foreign.md', fence('ts before', 'nobody.knows()'))
    expect(await compilePages([app, more, plain, foreign], () => app)).toEqual([
      expect.stringMatching(/^plain\.md:3:7 error TS2322/),
      expect.stringMatching(/^more\.md:5:\d+ error TS2339: Property 'nope'/),
    ])
  }, 120_000)

  it('reports a project that does not load', async () => {
    const page = toPage('broken.md', fence('ts', `// src/api/index.ts\nthrow new Error('no luck')`))
    expect(await compilePages([page])).toEqual([expect.stringMatching(/^broken\.md: step 1 does not load: .*no luck/)])
  }, 120_000)
})

describe('checkLanguages', () => {
  it('reports unknown languages and words, and syntax errors', async () => {
    const blocks = [
      fence('', 'x'),
      fence('rust', 'x'),
      fence('ts skip', 'x'),
      fence('json', '{ a: 1 }'),
      fence('js', 'a b'),
      fence('yaml', 'a: [1'),
    ]
    const problems = await Promise.all(blocks.map(async (block) => checkLanguages(toPage('p.md', block))))
    expect(problems.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1])
    expect(
      await checkLanguages(toPage('p.md', fence('json', '{ "a": 1 }') + fence('yaml', 'a: [1]') + fence('text', 'x'))),
    ).toEqual([])
  })
})

describe('toCommands', () => {
  it('splits a line into commands and words', () => {
    expect(toCommands(`A=1 sdk run x '{"a": "b c"}' --stream | jq . && cd ../a#b; npm test # all > of it`)).toEqual([
      ['sdk', 'run', 'x', `'{"a": "b c"}'`, '--stream'],
      ['jq', '.'],
      ['cd', '../a#b'],
      ['npm', 'test'],
    ])
  })
})

describe('checkShell', () => {
  it('reports unknown commands, options, arguments and scripts', async () => {
    const good =
      'sdk add agent hello\nnpx sdk types --out a.d.ts\nsdk --version\nnpm run dev\nnpm run check\nPORT=1 sdk start'
    expect(await checkShell(good)).toEqual([])
    const bad = 'sdk nope\nsdk add\nsdk types --nope\nsdk types --out\nsdk types a\nnpm run nope'
    expect((await checkShell(bad)).map(({ line }) => line)).toEqual([0, 1, 2, 3, 4, 5])
  })
})

describe('checkLinks', () => {
  const check = (text: string): string[] => checkLinks({ path: 'docs/page.md', text })

  it('reports links and images to missing files and headings', () => {
    expect(check('[a](../README.md#example) [b](#here) ![c](../LICENSE) `[d](nope)` <https://e.f>')).toHaveLength(1)
    expect(check('[a](../README.md#nope)')).toEqual(['docs/page.md:1 README.md has no #nope'])
    expect(check('\n<img src="nope.png" />')).toEqual(['docs/page.md:2 there is no nope.png'])
    expect(check('[a](/docs) [b](../../x)')).toHaveLength(2)
    expect(check(fence('text', '[a](nope)'))).toEqual([])
  })
})

function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\`\n`
}
