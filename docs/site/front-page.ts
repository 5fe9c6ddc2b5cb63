import type { CodeRenderer } from './code.ts'
import { CONTENTS, type Contents, type Entry, type Section } from './contents.ts'
import { escapeHtml } from './html.ts'
import { placeOf } from './place.ts'
import { createSlugger } from './slug.ts'

/** The page that newcomers start with. */
const BEGIN = 'docs/guide/first-app.md'

/** The parts of the front page. */
export interface FrontPage {
  readonly contents: Contents
  /** The README of the repository, whose code is shown on the front page. */
  readonly readme: string
  readonly code: CodeRenderer
}

/** Renders the front page: a summary, the first command, an example, and links to the pages. */
export function toFrontPage({ contents, readme, code }: FrontPage): string {
  const [first, ...others] = contents.sections
  const [begin = '', ...rest] = readBlocks(readme)
  const shown = rest.filter(({ length }) => length > 0).slice(0, 4)
  return `<div class="hero">
<h1>${escapeHtml(contents.title)}</h1>
<p class="lead">${escapeHtml(contents.summary)}</p>
<p class="actions"><a class="primary" href="${placeOf(BEGIN)}">Create your first app</a><a href="contents.html">All pages</a></p>
${begin === '' ? '' : toFigure(begin, code)}
</div>
<h2 id="one-idea">One name for each route</h2>
<p class="lead">The string that defines a route on the server also calls it from the browser, keys its cache and labels its logs. Types are inferred from the definition.</p>
<div class="example">${shown.map((block) => toFigure(block, code)).join('')}</div>
${first === undefined ? '' : toCards(first.name, first.entries.map(toCard))}
${toCards('More', others.map(toSectionCard))}`
}

function toCards(name: string, cards: readonly string[]): string {
  const id = toId(name)
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(name)}</h2><ul class="cards">${cards.join('')}</ul></section>`
}

function toCard({ source, name, description }: Entry): string {
  return card(placeOf(source), name, description)
}

function toSectionCard({ name, entries }: Section): string {
  const names = entries.slice(0, 5).map((entry) => entry.name)
  const rest = entries.length > names.length ? `, and ${entries.length - names.length} more` : ''
  return card(`${placeOf(CONTENTS)}#${toId(name)}`, name, names.join(', ') + rest)
}

function card(href: string, name: string, text: string): string {
  const more = text === '' ? '' : `<span>${escapeHtml(text.replaceAll('`', ''))}</span>`
  return `<li><a href="${href}"><strong>${escapeHtml(name)}</strong>${more}</a></li>`
}

function toId(name: string): string {
  return createSlugger()(name)
}

/** Returns the code blocks of a page, each with its info string as its first line. */
function readBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```(\S.*\n[^]*?)^```$/gm)].map(([, block]) => block ?? '')
}

function toFigure(block: string, code: CodeRenderer): string {
  const end = block.indexOf('\n')
  return code(block.slice(end + 1), block.slice(0, end))
}
