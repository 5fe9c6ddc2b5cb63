import type { Contents, Entry } from './contents.ts'
import { escapeHtml } from './html.ts'
import type { Heading } from './markdown.ts'
import { placeOf, wayTo } from './place.ts'

/** A page of the site, without its layout. */
export interface Sheet {
  readonly place: string
  readonly title: string
  readonly description: string
  /** The kind of page, for its style. */
  readonly kind: 'page' | 'front'
  readonly body: string
  readonly headings: readonly Heading[]
  /** The section of the contents that the page is in. */
  readonly section: string
  readonly previous: Entry | undefined
  readonly next: Entry | undefined
}

/** Adds the layout to a page: header, contents, outline, and links to the previous and next pages. */
export function toDocument(sheet: Sheet, contents: Contents): string {
  const way = (to: string): string => escapeHtml(wayTo(sheet.place, to))
  const root = '../'.repeat(sheet.place.split('/').length - 1) || './'
  const title = sheet.kind === 'front' ? contents.title : `${sheet.title} · ${contents.title}`
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="description" content="${escapeHtml(sheet.description)}" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${way('assets/icon.svg')}" type="image/svg+xml" />
<link rel="alternate" href="${way(toMarkdownPlace(sheet.place))}" type="text/markdown" />
<link rel="stylesheet" href="${way('assets/site.css')}" />
<script src="${way('assets/theme.js')}"></script>
<script type="module" src="${way('assets/site.js')}"></script>
</head>
<body class="${sheet.kind}">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<button class="menu" type="button" popovertarget="contents" aria-label="Contents">${MENU}</button>
<a class="brand" href="${way('index.html')}">${LOGO}<span>${escapeHtml(contents.title)}</span></a>
<div class="tools"></div>
</header>
<nav id="contents" popover aria-label="Contents">${toNavigation(sheet, contents)}</nav>
<main id="main">
${sheet.kind === 'front' ? '' : `<p class="section">${escapeHtml(sheet.section)}</p>\n`}${withFoldedOutline(sheet)}
${toNeighbours(sheet)}
<footer><a href="${way(toMarkdownPlace(sheet.place))}">This page as Markdown</a> · <a href="${way('llms.txt')}">llms.txt</a></footer>
</main>
${toOutline(sheet.headings)}
</body>
</html>
`
}

/** Returns the path of the Markdown version of a page. */
export function toMarkdownPlace(place: string): string {
  return place.replace(/\.html$/, '.md')
}

const LOGO =
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="var(--logo)"/><path d="M5 16h2v2H5zm4-5h2v7H9zm4 3h2v4h-2zm4-8h2v12h-2z" fill="#fff"/></svg>'
const MENU =
  '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>'

function toNavigation({ place }: Sheet, { sections }: Contents): string {
  const groups = sections.map(({ name, entries }) => {
    const places = entries.map(({ source }) => placeOf(source))
    const items = entries.map((entry, index) => {
      const own = places[index] ?? ''
      const mark = own === place ? ' aria-current="page"' : ''
      return `<li><a href="${escapeHtml(wayTo(place, own))}"${mark}>${escapeHtml(entry.name)}</a></li>`
    })
    const isOpen = places.includes(place) || name === sections[0]?.name
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(name)}</summary><ul>${items.join('')}</ul></details>`
  })
  return groups.join('\n')
}

function toOutline(headings: readonly Heading[]): string {
  const items = toOutlineItems(headings)
  if (items === '') return ''
  return `<nav class="outline" aria-labelledby="outline"><p id="outline">On this page</p><ul>${items}</ul></nav>`
}

/** Adds a folded outline below the title, for screens that have no space beside the text. */
function withFoldedOutline({ kind, body, headings }: Sheet): string {
  const items = kind === 'front' ? '' : toOutlineItems(headings.filter(({ level }) => level === 2))
  if (items === '') return body
  const outline = `<details class="folded"><summary>On this page</summary><ul>${items}</ul></details>`
  return body.replace('</h1>', (end) => `${end}\n${outline}`)
}

/** Returns the list items of an outline; empty if one heading would be its only item. */
function toOutlineItems(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level <= 3)
  if (shown.length < 2) return ''
  return shown
    .map(({ level, anchor, text }) => `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
    .join('')
}

function toNeighbours({ place, previous, next }: Sheet): string {
  if (previous === undefined && next === undefined) return ''
  const link = (entry: Entry | undefined, kind: string): string =>
    entry === undefined
      ? ''
      : `<a class="${kind.toLowerCase()}" href="${escapeHtml(wayTo(place, placeOf(entry.source)))}"><small>${kind}</small>${escapeHtml(entry.name)}</a>`
  return `<nav class="neighbours" aria-label="Previous and next page">${link(previous, 'Previous')}${link(next, 'Next')}</nav>`
}
