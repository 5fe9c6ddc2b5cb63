import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build as bundle } from 'esbuild'
import MiniSearch from 'minisearch'
import { createCharts } from './charts/charts.ts'
import { createCodeRenderer, type CodeRenderer } from './code.ts'
import { CONTENTS, entriesOf, parseContents, type Contents, type Entry } from './contents.ts'
import { copyPackageFile, copySource, isFile, OUT, readSource, ROOT, writePlace } from './files.ts'
import { toFrontPage } from './front-page.ts'
import { toDocument, toMarkdownPlace } from './layout.ts'
import { toLlms, toLlmsFull } from './llms.ts'
import { createRenderer, type Passage, type Rendered } from './markdown.ts'
import { toNotFound } from './not-found.ts'
import { findTarget, placeOf, placeOfFile, wayTo, type Known } from './place.ts'
import { SEARCH_OPTIONS, type Found } from './search-options.ts'

/** The result of a build. */
export interface Site {
  readonly pages: readonly SitePage[]
  /** Broken links, as `page → target`. */
  readonly loose: readonly string[]
}

/** A page of the site. */
export interface SitePage extends Entry {
  readonly place: string
  readonly section: string
  readonly markdown: string
  readonly rendered: Rendered
}

/** Options for the build. */
export interface BuildOptions {
  /** @default docs/dist */
  readonly out?: string
  /**
   * The path under which the site is served. Only the 404 page needs it, as it may be shown at any path. @default '/'
   */
  readonly base?: string
  /** Returns whether the code of a source file is colored, which takes most of the time. @default all */
  readonly isColored?: (source: string) => boolean
}

/** Builds the whole site. */
export async function buildSite({ out = OUT, base = '/', isColored = () => true }: BuildOptions = {}): Promise<Site> {
  const contents = parseContents(readSource(CONTENTS))
  const code = await createCodeRenderer()
  const files = new Set<string>()
  const loose = new Set<string>()
  const pages = renderPages(contents, { code, isColored, files, loose })
  rmSync(out, { recursive: true, force: true })
  writePages(out, contents, pages)
  writeFront(out, contents, code)
  for (const source of files) copySource(out, source, placeOfFile(source))
  writePlace(out, '404.html', toNotFound(contents.title, base))
  writePlace(out, 'llms.txt', toLlms(contents))
  writePlace(out, 'llms-full.txt', toLlmsFull(contents.title, pages))
  writePlace(out, 'search-index.json', toIndex(pages))
  await writeAssets(out)
  return { pages, loose: [...loose] }
}

/** The state that rendering reads and fills. */
export interface Making {
  readonly code: CodeRenderer
  readonly isColored?: (source: string) => boolean
  /** Files that links point to. */
  readonly files: Set<string>
  readonly loose: Set<string>
}

/** Renders all pages of the contents. */
export function renderPages(contents: Contents, { code, isColored = () => true, files, loose }: Making): SitePage[] {
  const entries = entriesOf(contents)
  const sources = new Set([CONTENTS, 'README.md', ...entries.map(({ source }) => source)])
  const charts = createCharts(readSource('benchmarks/results.md'))
  const render = createRenderer(code, charts)
  const renderPlain = createRenderer((text, info) => code(text, info.replace(/^\S+/, 'text')), charts)
  const known: Known = {
    isPage: (one) => sources.has(one),
    isFile,
    hasPages: (folder) => entries.some((entry) => dirname(entry.source) === folder),
  }
  const own: Entry = { source: CONTENTS, name: 'All pages', description: contents.summary }
  return [own, ...entries].map((entry) => {
    const { source } = entry
    const linkOf = (href: string, toPlace: (place: string) => string = (place) => place): string | null => {
      const target = findTarget(source, href, known)
      if (target.kind === 'elsewhere') return href
      if (target.kind === 'nowhere') {
        loose.add(`${source} → ${href}`)
        return null
      }
      if (target.kind === 'file') files.add(target.source)
      const place = target.kind === 'page' ? toPlace(placeOf(target.source)) : placeOfFile(target.source)
      return wayTo(placeOf(source), place) + target.anchor
    }
    const text = readSource(source)
    const rendered = (isColored(source) ? render : renderPlain)(text, linkOf)
    const markdown = text.replaceAll(/\]\(([^)\s]+)\)/g, (all, href: string) => {
      const link = linkOf(href, toMarkdownPlace)
      return link === null ? all : `](${link})`
    })
    const section = contents.sections.find((one) => one.entries.includes(entry))?.name ?? 'Contents'
    return { ...entry, place: placeOf(source), section, markdown, rendered }
  })
}

function writePages(out: string, contents: Contents, pages: readonly SitePage[]): void {
  for (const [index, page] of pages.entries()) {
    const { place, section, description, name, markdown } = page
    const { title, html, headings } = page.rendered
    const [previous, next] = [index > 1 ? pages[index - 1] : undefined, pages[index + 1]]
    const sheet = { place, section, description, headings, previous, next, kind: 'page', body: html } as const
    writePlace(out, place, toDocument({ ...sheet, title: title || name }, contents))
    writePlace(out, toMarkdownPlace(place), markdown)
  }
}

function writeFront(out: string, contents: Contents, code: CodeRenderer): void {
  const readme = readSource('README.md')
  const body = toFrontPage({ contents, readme, code })
  const none = { headings: [], section: '', previous: undefined, next: undefined }
  const sheet = { ...none, kind: 'front', title: contents.title, description: contents.summary } as const
  writePlace(out, 'index.html', toDocument({ ...sheet, place: 'index.html', body }, contents))
  writePlace(out, 'index.md', toLlms(contents))
}

/** Creates the search index, as JSON. */
export function toIndex(pages: readonly SitePage[]): string {
  const index = new MiniSearch<Found>(SEARCH_OPTIONS)
  const toFound = ({ name, place, description }: SitePage, { anchor, ...passage }: Passage): Omit<Found, 'id'> => ({
    page: name,
    about: anchor === '' ? description : '',
    url: place + (anchor === '' ? '' : `#${anchor}`),
    ...passage,
  })
  const all = pages.slice(1).flatMap((page) => page.rendered.passages.map((passage) => toFound(page, passage)))
  index.addAll(all.map((found, id) => ({ id, ...found })))
  return JSON.stringify(index)
}

async function writeAssets(out: string): Promise<void> {
  const here = join(ROOT, 'docs/site')
  const entryPoints = ['client/site.ts', 'client/theme.ts'].map((file) => join(here, file))
  const options = { bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022' } as const
  await bundle({ ...options, entryPoints, outdir: join(out, 'assets'), logLevel: 'warning' })
  copySource(out, 'docs/site/site.css', 'assets/site.css')
  copySource(out, 'docs/site/icon.svg', 'assets/icon.svg')
  for (const font of ['geist', 'geist-mono'])
    copyPackageFile(out, `@fontsource-variable/${font}/files/${font}-latin-wght-normal.woff2`, `assets/${font}.woff2`)
}
