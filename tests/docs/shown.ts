import { readPage } from './check/page.ts'
import { toSteps } from './check/project.ts'

/** What a page shows as output: its blocks of text, without the last line break. */
export function shownIn(path: string): string[] {
  return readPage(path)
    .blocks.filter(({ language }) => language === 'text')
    .map(({ text }) => text.trimEnd())
}

/** The files that a page ends with, as they are without the line that names them. */
export function filesOf(path: string): Map<string, string> {
  const files = toSteps(readPage(path)).at(-1) ?? new Map<string, { text: string }>()
  return new Map(Array.from(files, ([file, { text }]) => [file, text.slice(text.indexOf('\n') + 1)]))
}
