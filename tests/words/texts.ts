import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** A comment or a message of a source file. */
export interface SourceText {
  readonly kind: 'comments' | 'messages'
  /** `packages/server/src/app/app.ts:12` */
  readonly location: string
  /** The text without code in backticks and quoted text, since identifiers and quotes follow other rules. */
  readonly text: string
  /** The entire text, for a reader. */
  readonly whole: string
}

/** Reads the comments and messages of every source file below a folder, without tests. */
export function readTexts(root: string, folder: string): SourceText[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test(-d)?\./.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .flatMap((path) => findTexts(path, readFileSync(join(root, path), 'utf8')))
}

/** Finds the comments and messages of one file. A message is a string of three words or more. */
export function findTexts(path: string, code: string): SourceText[] {
  const { comments, program } = parseSync(path, code)
  const at = (kind: SourceText['kind'], offset: number, whole: string): SourceText => ({
    kind,
    location: `${path}:${code.slice(0, offset).split('\n').length}`,
    text: kind === 'comments' ? withoutCode(whole) : whole,
    whole,
  })
  const found: SourceText[] = []
  // Consecutive `//` lines are one text.
  let previousEnd = -1
  for (const { type, value, start, end } of comments) {
    const whole = withoutMarkers(value)
    const last = found.at(-1)
    if (/^(oxlint|eslint|@ts|@vite|@__|\*?\/? *<reference)/.test(whole)) continue
    if (type === 'Line' && last && /^\s*$/.test(code.slice(previousEnd, start)) && previousEnd >= 0) {
      found[found.length - 1] = { ...last, text: `${last.text} ${withoutCode(whole)}`, whole: `${last.whole} ${whole}` }
    } else found.push(at('comments', start, whole))
    previousEnd = type === 'Line' ? end : -1
  }
  const addMessage = (offset: number, text: string): void => {
    if (/\S+\s+\S+\s+\S+/.test(text) && /[a-z]{2}/.test(text) && !isScript(text))
      found.push(at('messages', offset, text.trim()))
  }
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') addMessage(start, value)
    },
    TemplateLiteral: ({ quasis, start }) => addMessage(start, quasis.map((part) => part.value.cooked ?? '').join('…')),
    JSXText: ({ value, start }) => addMessage(start, value),
  }).visit(program)
  return found
}

function withoutMarkers(comment: string): string {
  return comment
    .replace(/^\s*\*+ ?/gm, '')
    .replace(/@example[\s\S]*/, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, '``').replace(/"[^"\n]*"/g, '""')
}

/** Returns whether a string is SQL, or Lua for Redis, and not a sentence. */
function isScript(text: string): boolean {
  return /redis\.call\(/.test(text) || /^\s*(with|select|insert|update|delete)\b[^.]*\b(as|from|into|set)\b/i.test(text)
}
