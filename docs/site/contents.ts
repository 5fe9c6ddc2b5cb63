import { dirname, normalize } from 'node:path/posix'

/** The contents of the documentation, in order: the list in `docs/README.md`. */
export interface Contents {
  readonly title: string
  readonly summary: string
  readonly sections: readonly Section[]
}

/** A part of the documentation. */
export interface Section {
  readonly name: string
  readonly entries: readonly Entry[]
}

/** A page in the list. */
export interface Entry {
  /** The path of its Markdown file, from the root of the repository. */
  readonly source: string
  readonly name: string
  readonly description: string
}

/** The path of the list. */
export const CONTENTS = 'docs/README.md'

/** Parses the list: a title, a quote with the summary, and sections of `- [name](page.md): description`. */
export function parseContents(markdown: string): Contents {
  const [head = '', ...parts] = markdown.split(/^## /m)
  const sections = parts.map((part) => {
    const [name = '', ...lines] = part.split('\n')
    return {
      name: name.trim(),
      entries: lines
        .join(' ')
        .split(/(?:^|\s)- (?=\[)/)
        .flatMap(toEntry),
    }
  })
  return {
    title: /^# (.+)$/m.exec(head)?.[1] ?? '',
    summary: [...head.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line).join(' '),
    sections,
  }
}

/** Returns all pages, in order. */
export function entriesOf({ sections }: Contents): Entry[] {
  return sections.flatMap(({ entries }) => entries)
}

function toEntry(item: string): Entry[] {
  const [, name = '', target = '', rest = ''] = /^\[([^\]]+)\]\(([^)]+)\)(?:: (.*))?$/.exec(item.trim()) ?? []
  if (target === '') return []
  return [{ source: normalize(`${dirname(CONTENTS)}/${target}`), name, description: rest.replaceAll(/\s+/g, ' ') }]
}
