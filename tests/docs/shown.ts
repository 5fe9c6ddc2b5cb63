import { readPage } from './check/page.ts'
import { toSteps } from './check/project.ts'

/** Returns the output that a page shows: its text blocks, without the last line break. */
export function shownIn(path: string): string[] {
  return readPage(path)
    .blocks.filter(({ language }) => language === 'text')
    .map(({ text }) => text.trimEnd())
}

/** Returns the final files of a page, without the line that names them. */
export function filesOf(path: string): Map<string, string> {
  const files = toSteps(readPage(path)).at(-1) ?? new Map<string, { text: string }>()
  return new Map(Array.from(files, ([file, { text }]) => [file, text.slice(text.indexOf('\n') + 1)]))
}
