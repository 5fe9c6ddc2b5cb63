import { dirname, normalize, relative } from 'node:path/posix'
import { CONTENTS } from './contents.ts'

/** Where a page stands in the site: `docs/guide/agents.md` → `guide/agents.html`. */
export function placeOf(source: string): string {
  const path = source.replace(/\.md$/, '')
  if (path === 'README') return 'index.html'
  if (path === 'docs/README') return 'contents.html'
  if (/^(?:packages|examples)\/[^/]+\/README$/.test(path)) return `${dirname(path)}.html`
  return `${path
    .replace(/^docs\//, '')
    .replace(/\bREADME$/, 'index')
    .toLowerCase()}.html`
}

/** Where a file that is no page stands. */
export function placeOfFile(source: string): string {
  return source.replace(/^docs\//, '')
}

/** The way from one place to another. */
export function wayTo(from: string, to: string): string {
  return relative(dirname(from), to) || '.'
}

/** What a link leads to. */
export type Target =
  | { readonly kind: 'page' | 'file'; readonly source: string; readonly anchor: string }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'nowhere' }

/** What is known of the files that links lead to. */
export interface Known {
  isPage(source: string): boolean
  isFile(source: string): boolean
  /** Is it a folder of pages, which the contents list? */
  hasPages(source: string): boolean
}

/** Finds what a link of a page leads to. A folder is its README. */
export function findTarget(from: string, href: string, known: Known): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { kind: 'elsewhere' }
  const [path = '', hash] = href.split('#')
  const anchor = hash === undefined ? '' : `#${hash}`
  const source = path === '' ? from : normalize(`${dirname(from)}/${decodeURIComponent(path)}`).replace(/\/$/, '')
  const page = [source, `${source}/README.md`].find((one) => known.isPage(one))
  if (page !== undefined) return { kind: 'page', source: page, anchor }
  if (known.hasPages(source)) return { kind: 'page', source: CONTENTS, anchor: `#${source}` }
  return known.isFile(source) ? { kind: 'file', source, anchor } : { kind: 'nowhere' }
}
