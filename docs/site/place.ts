import { dirname, normalize, relative } from 'node:path/posix'
import { CONTENTS } from './contents.ts'

/** Returns the path of a page in the site: `docs/guide/agents.md` → `guide/agents.html`. */
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

/** Returns the path of a file that is not a page. */
export function placeOfFile(source: string): string {
  return source.replace(/^docs\//, '')
}

/** Returns the relative path from one page to another. */
export function wayTo(from: string, to: string): string {
  return relative(dirname(from), to) || '.'
}

/** The target of a link. */
export type Target =
  | { readonly kind: 'page' | 'file'; readonly source: string; readonly anchor: string }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'nowhere' }

/** The files that links may point to. */
export interface Known {
  isPage(source: string): boolean
  isFile(source: string): boolean
  /** Returns whether a path is a folder of pages that the contents list. */
  hasPages(source: string): boolean
}

/** Resolves a link of a page. A link to a folder points to its README. */
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
