/**
 * `npm run words`: prints how often five classes of unconventional wording occur in the comments of each package.
 * `npm run words -- --draw comments --count 150 --seed 1` draws comments, messages or paragraphs of the documentation
 * at random, for a reader to judge. The same seed draws the same texts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readTexts, type SourceText } from '../tests/words/texts.ts'

const { values } = parseArgs({
  options: {
    draw: { type: 'string' },
    count: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
  },
})

const root = join(import.meta.dirname, '..')
const packages = readdirSync(join(root, 'packages'))

/** The classes, each with the words that show it. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  'begins with What': /^What /,
  'who, whom': /\b(who|whoever|whom)\b/i,
  'tell, hear, say': /\b(tells?|told|hears?|heard|says?|said|speaks?|goodbye)\b/i,
  'is no, of ours': /(?<!\bthere )\b(is|are) no\b(?! longer)|\bis none\b|\bof (ours|its own|somebody)\b/i,
  'so many, at once':
    /\b(so (many|long|often)|any more|(for|as) ever|beside|whatever|wherever|lies|stands?|at once)\b/i,
}

if (values.draw === undefined) printShares()
else if (values.draw === 'paragraphs') print(draw(readParagraphs()))
else print(draw(packages.flatMap((name) => readSource(name)).filter(({ kind }) => kind === values.draw)))

function printShares(): void {
  const rows = packages.map((name) => [name, readSource(name)] as const)
  const all = ['all', rows.flatMap(([, texts]) => texts)] as const
  console.table(Object.fromEntries([...rows, all].map(([name, texts]) => [name, toShares(texts)])))
}

function toShares(texts: readonly SourceText[]): Record<string, string | number> {
  const comments = texts.filter(({ kind, text }) => kind === 'comments' && text.length >= 8)
  const share = (pattern: RegExp): string => {
    const found = comments.filter(({ text }) => pattern.test(text)).length
    return `${((100 * found) / Math.max(1, comments.length)).toFixed(1)} %`
  }
  const shares = Object.entries(CLASSES).map(([name, pattern]): [string, string] => [name, share(pattern)])
  return { comments: comments.length, ...Object.fromEntries(shares) }
}

function readSource(name: string): SourceText[] {
  return readTexts(root, `packages/${name}/src`)
}

/** Returns the paragraphs of the documentation: no code, tables, headings, lists of links or generated pages. */
function readParagraphs(): Pick<SourceText, 'location' | 'whole'>[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('reference/packages'))
    .map((path) => `docs/${path}`)
  return ['README.md', 'CHANGELOG.md', ...pages].flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .split(/\n{2,}/)
      .filter((text) => /^[A-Z`[*-].{60}/s.test(text.trim()) && !/^([|<#]|- \[)/.test(text.trim()))
      .map((text) => ({ location: path, whole: text.trim() })),
  )
}

/** Draws texts without repetition, by a linear congruential generator. */
function draw<T>(texts: readonly T[]): T[] {
  const left = [...texts]
  let state = Number(values.seed) >>> 0
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  return Array.from({ length: Math.min(Number(values.count), left.length) }, () =>
    left.splice(Math.floor((next() / 2 ** 32) * left.length), 1),
  ).flat()
}

function print(texts: readonly Pick<SourceText, 'location' | 'whole'>[]): void {
  for (const [index, { location, whole }] of texts.entries()) console.log(`${index + 1}. ${location}\n   ${whole}\n`)
}
