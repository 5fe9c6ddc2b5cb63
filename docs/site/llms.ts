import type { Contents } from './contents.ts'
import { placeOf } from './place.ts'

/** Creates `llms.txt`: the list of pages for language models (https://llmstxt.org). */
export function toLlms({ title, summary, sections }: Contents): string {
  const parts = sections.map(({ name, entries }) => {
    const lines = entries.map((entry) => {
      const place = placeOf(entry.source).replace(/\.html$/, '.md')
      return `- [${entry.name}](${place})${entry.description === '' ? '' : `: ${entry.description}`}`
    })
    return `## ${name}\n\n${lines.join('\n')}\n`
  })
  return `# ${title}\n\n> ${summary}\n\nAll pages in one: [llms-full.txt](llms-full.txt)\n\n${parts.join('\n')}`
}

/** Creates `llms-full.txt`: all pages in one file. */
export function toLlmsFull(title: string, pages: readonly { place: string; markdown: string }[]): string {
  const parts = pages.map(({ place, markdown }) => `<!-- ${place} -->\n\n${markdown.trim()}\n`)
  return `<!-- ${title}: all pages -->\n\n${parts.join('\n')}`
}
