import type { CodeRenderer } from './code.ts'
import type { Contents, Entry } from './contents.ts'
import { escapeHtml } from './html.ts'
import { placeOf } from './place.ts'

/** Where a newcomer begins. */
const BEGIN = 'docs/guide/first-app.md'

/** What the front page is made of. */
export interface FrontPage {
  readonly contents: Contents
  /** The repository's README: its code is shown, so that it has one home. */
  readonly readme: string
  readonly code: CodeRenderer
}

/** The front page: what it is, how to begin, how it looks, and where to read on. */
export function toFrontPage({ contents, readme, code }: FrontPage): string {
  const [begin = '', ...rest] = readBlocks(readme)
  const shown = rest.filter(({ length }) => length > 0).slice(0, 4)
  return `<div class="hero">
<h1>${escapeHtml(contents.title)}</h1>
<p class="lead">${escapeHtml(contents.summary)}</p>
<p class="actions"><a class="primary" href="${placeOf(BEGIN)}">Make your first app</a><a href="contents.html">All pages</a></p>
${begin === '' ? '' : toFigure(begin, code)}
</div>
<h2 id="one-idea">A route has one name, everywhere</h2>
<p class="lead">The string that defines a route on the server calls it from the page, keys its cache and labels its logs. Types flow from the definition to the call.</p>
<div class="example">${shown.map((block) => toFigure(block, code)).join('')}</div>
${contents.sections.map(toSection).join('\n')}`
}

function toSection({ name, entries }: Contents['sections'][number]): string {
  const cards = entries.map(toCard)
  const id = name.toLowerCase().replaceAll(/\W+/g, '-')
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(name)}</h2><ul class="cards">${cards.join('')}</ul></section>`
}

function toCard({ source, name, description }: Entry): string {
  const more = description === '' ? '' : `<span>${escapeHtml(description.replaceAll('`', ''))}</span>`
  return `<li><a href="${placeOf(source)}"><strong>${escapeHtml(name)}</strong>${more}</a></li>`
}

/** The code blocks of a page, each with its info string as its first line. */
function readBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```(\S.*\n[^]*?)^```$/gm)].map(([, block]) => block ?? '')
}

function toFigure(block: string, code: CodeRenderer): string {
  const end = block.indexOf('\n')
  return code(block.slice(end + 1), block.slice(0, end))
}
