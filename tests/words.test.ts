import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WORD_RULES, type WordRule } from './words/rules.ts'
import { findTexts, readTexts, type SourceText } from './words/texts.ts'

const root = join(import.meta.dirname, '..')

function findViolations(texts: readonly SourceText[], { pattern, applies }: WordRule): string[] {
  return texts
    .filter(({ kind, text }) => (applies === 'both' || applies === kind) && pattern.test(text))
    .map(({ location, text }) => `${location}: ${text}`)
}

describe.each(readdirSync(join(root, 'packages')))('wording of packages/%s', (name) => {
  const texts = readTexts(root, `packages/${name}/src`)

  it.each(WORD_RULES)('follows the rule "$name"', (rule) => {
    const found = findViolations(texts, rule)
    expect(found, `${rule.reason}\n${found.join('\n')}`).toEqual([])
  })
})

describe('WORD_RULES', () => {
  const planted: Readonly<Record<string, string>> = {
    'begins with What or Who': '/** What every answer has. */',
    'begins with Of': '// Of two versions, the newer.',
    hear: '/** Hears the other process. */',
    tell: `throw new Error('nobody was told about it')`,
    whoever: '// Whoever comes first is served.',
    'of ours': `throw new Error('cursor is not one of ours')`,
    'so many': '/** How often, in so many ms. */',
    'any more': '// It is not needed any more.',
    'without a word': `log.warn('the client was sent away')`,
    'is no': `throw new Error('200 is no status of an error')`,
    'there is none': `throw new Error('there is none with this id')`,
    'metaphors of a house': '// The front door of the server.',
  }

  it.each(WORD_RULES)('find a planted violation: $name', (rule) => {
    expect(findViolations(findTexts('a.ts', planted[rule.name] ?? ''), rule)).toHaveLength(1)
  })

  it.each([
    '/** Returns the headers of every response. */',
    '// The process no longer listens: `heard` is a name in code.',
    `import { told } from './heard.ts'; const who = 'whoever'`,
    '// See "what is heard" in the manual.',
    `throw new Error('id must be a positive integer, got 0')`,
  ])('accept %s', (code) => {
    expect(WORD_RULES.flatMap((rule) => findViolations(findTexts('a.ts', code), rule))).toEqual([])
  })

  it('read a comment of several lines as one text', () => {
    expect(findTexts('a.ts', '// One line\n// and what follows.\nconst a = 1 // another\n')).toMatchObject([
      { text: 'One line and what follows.' },
      { text: 'another' },
    ])
  })
})
