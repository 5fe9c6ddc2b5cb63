import { parseSync } from 'oxc-parser'
import { parseAllDocuments } from 'yaml'
import type { Block } from './block.ts'
import type { Page } from './page.ts'
import { checkShell } from './shell.ts'

/** An error in a block, and its line. */
interface Problem {
  readonly line: number
  readonly problem: string
}

type Check = (text: string) => Problem[] | Promise<Problem[]>

/** The checks by language; other languages are not allowed. TypeScript is compiled separately. */
const CHECKS: Readonly<Record<string, Check>> = {
  ts: () => [],
  tsx: () => [],
  js: (text) => checkSyntax('block.js', text),
  sh: checkShell,
  json: checkJson,
  text: () => [],
  http: () => [],
  html: () => [],
  css: () => [],
  sql: () => [],
  yaml: checkYaml,
  nginx: () => [],
  dockerfile: () => [],
}

/** Returns the errors in the blocks of a page, without those of the compiler. */
export async function checkLanguages({ path, blocks }: Page): Promise<string[]> {
  const problems = await Promise.all(
    blocks.map(async (block) =>
      (await checkBlock(block)).map(({ line, problem }) => `${path}:${block.line + line} ${problem}`),
    ),
  )
  return problems.flat()
}

async function checkBlock({ language, words, text }: Block): Promise<readonly Problem[]> {
  const check = Object.hasOwn(CHECKS, language) ? CHECKS[language] : undefined
  const isForeign = words.length === 1 && words[0] === 'before' && /^(?:tsx?|js)$/.test(language)
  if (check === undefined) return [{ line: -1, problem: `"${language}" is none of ${Object.keys(CHECKS).join(', ')}` }]
  if (words.length > 0 && !isForeign)
    return [{ line: -1, problem: `"${words.join(' ')}" is not known: code of other products is "ts before"` }]
  return isForeign ? checkSyntax(`block.${language}`, text) : check(text)
}

function checkSyntax(name: string, text: string): Problem[] {
  const { errors } = parseSync(name, text)
  return errors.map(({ message, labels }) => {
    const before = text.slice(0, labels[0]?.start ?? 0)
    return { line: before.split('\n').length - 1, problem: message }
  })
}

function checkYaml(text: string): Problem[] {
  const documents = parseAllDocuments(text)
  const errors = 'empty' in documents ? [] : documents.flatMap((document) => document.errors)
  return errors.map(({ message, linePos }) => ({ line: (linePos?.[0].line ?? 1) - 1, problem: message }))
}

function checkJson(text: string): Problem[] {
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    return [{ line: 0, problem: String(error) }]
  }
}
