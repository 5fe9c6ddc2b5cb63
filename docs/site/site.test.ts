import { describe, expect, it } from 'vitest'
import { createCharts } from './charts/charts.ts'
import { figuresOf, parseResults } from './charts/results.ts'
import { createCodeRenderer } from './code.ts'
import { parseContents } from './contents.ts'
import { toLlms } from './llms.ts'
import { createRenderer } from './markdown.ts'
import { findTarget, placeOf, wayTo } from './place.ts'
import { createSlugger } from './slug.ts'

const CONTENTS = `# Title

> What it is,
> in two lines.

## Guide

- [Agents](guide/agents.md): what they
  are
- [The map](../AGENTS.md)
`

const RESULTS = `# Results

## http

\`npm run bench -- http\`, here with more

2 cores, Node v20.20.2; one run. More words.

|                 | POST, /s |  idle |
| --------------- | -------: | ----: |
| **@sdk/server** |  **900** | never |
| peer 4          |    1,800 |  2 MB |
`

describe('parseContents', () => {
  it('reads title, summary, sections and pages in order', () => {
    expect(parseContents(CONTENTS)).toEqual({
      title: 'Title',
      summary: 'What it is, in two lines.',
      sections: [
        {
          name: 'Guide',
          entries: [
            { source: 'docs/guide/agents.md', name: 'Agents', description: 'what they are' },
            { source: 'AGENTS.md', name: 'The map', description: '' },
          ],
        },
      ],
    })
  })
})

describe('toLlms', () => {
  it('lists the pages as Markdown', () => {
    expect(toLlms(parseContents(CONTENTS))).toContain(
      '- [Agents](guide/agents.md): what they are\n- [The map](agents.md)',
    )
  })
})

describe('placeOf', () => {
  it.each([
    ['docs/guide/agents.md', 'guide/agents.html'],
    ['docs/guide/README.md', 'guide/index.html'],
    ['packages/server/README.md', 'packages/server.html'],
    ['decisions/0001-esm-only.md', 'decisions/0001-esm-only.html'],
    ['README.md', 'index.html'],
    ['AGENTS.md', 'agents.html'],
  ])('maps %s to %s', (source, place) => {
    expect(placeOf(source)).toBe(place)
  })

  it('returns paths that wayTo turns into relative links', () => {
    expect(wayTo('guide/agents.html', 'packages/server.html')).toBe('../packages/server.html')
    expect(wayTo('index.html', 'guide/agents.html')).toBe('guide/agents.html')
  })
})

describe('findTarget', () => {
  const known = {
    isPage: (source: string) => ['docs/a.md', 'packages/x/README.md'].includes(source),
    isFile: (source: string) => source === 'docs/a.png',
    hasPages: (source: string) => source === 'decisions',
  }

  it.each([
    ['a.md#b', { kind: 'page', source: 'docs/a.md', anchor: '#b' }],
    ['../packages/x', { kind: 'page', source: 'packages/x/README.md', anchor: '' }],
    ['../decisions', { kind: 'page', source: 'docs/README.md', anchor: '#decisions' }],
    ['a.png', { kind: 'file', source: 'docs/a.png', anchor: '' }],
    ['https://example.com/a.md', { kind: 'elsewhere' }],
    ['b.md', { kind: 'nowhere' }],
  ])('finds %s', (href, target) => {
    expect(findTarget('docs/page.md', href, known)).toEqual(target)
  })
})

describe('createSlugger', () => {
  it('creates unique anchors as code hosts do', () => {
    const slug = createSlugger()
    expect(['`useAPI`, and more', 'A · B', 'A · B'].map((text) => slug(text.replaceAll('`', '')))).toEqual([
      'useapi-and-more',
      'a--b',
      'a--b-1',
    ])
  })
})

describe('createRenderer', () => {
  it('rewrites links, adds anchors and file names, and extracts the text for the search', async () => {
    const render = createRenderer(await createCodeRenderer(), createCharts(RESULTS))
    const text = `<!-- project: a -->\n\n# Top\n\nSee [a](a.md) and [gone](b.md).\n\n## Under \`it\`\n\n<!-- search: cron, timer -->\n\n\`\`\`ts\n// src/a.ts: why\nconst a = 1\n\`\`\`\n\n|  |  |\n| - | - |\n| 1 | 2 |\n`
    const { title, html, headings, passages } = render(text, (href) => (href === 'a.md' ? 'a.html' : null))
    expect({ title, headings }).toEqual({
      title: 'Top',
      headings: [{ level: 2, text: 'Under it', anchor: 'under-it' }],
    })
    expect(passages).toEqual([
      { heading: 'Top', anchor: '', text: 'See a and gone.', keywords: '' },
      { heading: 'Under it', anchor: 'under-it', text: '// src/a.ts: why const a = 1 1 2', keywords: 'cron, timer' },
    ])
    expect(html).toContain('<a href="a.html">a</a> and <a>gone</a>')
    expect(html).toContain('<figcaption><span>src/a.ts</span> <em>why</em></figcaption>')
    expect(html).not.toMatch(/project:|search:|<th>/)
  })
})

describe('createCharts', () => {
  it('renders the results with their command, machine and peers', () => {
    const chart = createCharts(RESULTS)('<!-- chart: http | 1 | POST, /s | Requests: more is better -->') ?? ''
    expect(chart).toContain('<code>npm run bench -- http</code> · 2 cores, Node v20.20.2 · compared with peer 4')
    expect(chart).toMatch(/<tr class="ours"><th scope="row">@sdk\/server<\/th>.*width="50.0%".*900/)
    expect(chart).toMatch(/<tr><th scope="row">peer 4<\/th>.*width="100.0%".*1,800/)
  })

  it('throws for a missing table or column and ignores other comments', () => {
    const charts = createCharts(RESULTS)
    expect(() => charts('<!-- chart: http | 2 | POST, /s | x -->')).toThrow('has no table')
    expect(() => charts('<!-- chart: http | 1 | nope | x -->')).toThrow('no column "nope"')
    expect(charts('<!-- project: a -->')).toBeUndefined()
  })

  it('reads values that are not numbers and rows by peer', () => {
    const [table = []] = parseResults(RESULTS)[0]?.tables ?? []
    expect(figuresOf(table, 'idle').map(({ value }) => value)).toEqual([null, 2])
    expect(figuresOf(table, 'row: peer 4').map(({ name, value }) => [name, value])).toEqual([
      ['POST, /s', 1800],
      ['idle', 2],
    ])
  })
})
