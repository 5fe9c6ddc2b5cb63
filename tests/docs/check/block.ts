/** A fenced code block of a page. */
export interface Block {
  readonly language: string
  /** The words after the language: `before` in ```` ```ts before ````. */
  readonly words: readonly string[]
  readonly text: string
  /** The line of the page on which its text begins, 1-based. */
  readonly line: number
  /** The path in its first line: `// src/api/tasks.ts` or `// src/api/tasks.ts: some words`. */
  readonly file: string | undefined
}

const FENCE = /^( *)(`{3,}|~{3,}) *([^`\n]*)$/
const FILE_LINE = /^\/\/ ((?:[\w@.[\]-]+\/)*[\w@.[\]-]+\.(?:tsx?|mts))(?::.*)?$/

/** Returns the fenced code blocks of a page, in order. */
export function readBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, info = ''] = FENCE.exec(lines[at] ?? '') ?? []
    if (fence === undefined) continue
    const begin = at + 1
    while (++at < lines.length && !isEnd(lines[at] ?? '', fence));
    blocks.push(toBlock(lines.slice(begin, at), { indent: indent.length, info, line: begin + 1 }))
  }
  return blocks
}

function isEnd(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length)
}

function toBlock(lines: readonly string[], at: { indent: number; info: string; line: number }): Block {
  const [language = '', ...words] = at.info.split(/\s+/).filter((word) => word !== '')
  const own = lines.map((line) => line.slice(Math.min(at.indent, line.length - line.trimStart().length)))
  const text = own.map((line) => `${line}\n`).join('')
  return { language, words, text, line: at.line, file: FILE_LINE.exec(own[0] ?? '')?.[1] }
}
