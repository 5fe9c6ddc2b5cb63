import MarkdownIt, { type Token } from 'markdown-it'
import type { Charts } from './charts/charts.ts'
import type { CodeRenderer } from './code.ts'
import { escapeHtml } from './html.ts'
import { createSlugger } from './slug.ts'

/** A page rendered from Markdown. */
export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly passages: readonly Passage[]
}

/** A heading, for the outline. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** The text under a heading, for the search. */
export interface Passage {
  readonly heading: string
  /** Empty at the top of the page. */
  readonly anchor: string
  readonly text: string
  /** Search terms for the passage, from the comment `<!-- search: cron, timer -->` below the heading. */
  readonly keywords: string
}

/** Maps a link of a page to a link of the site; null if its target does not exist. */
export type LinkOf = (href: string) => string | null

/** Renders Markdown. */
export type Renderer = (markdown: string, linkOf: LinkOf) => Rendered

/** Creates a renderer with the given code highlighter and charts. */
export function createRenderer(code: CodeRenderer, charts: Charts): Renderer {
  const markdown = new MarkdownIt({ html: true })
  const { rules } = markdown.renderer
  rules['fence'] = (tokens, index) => code(tokens[index]?.content ?? '', tokens[index]?.info ?? '')
  rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
  rules['html_block'] = rules['html_inline'] = (tokens, index) => {
    const html = tokens[index]?.content ?? ''
    return charts(html) ?? html.replaceAll(/<!--[^]*?-->\s*/g, '')
  }
  rules['heading_close'] = (tokens, index) => {
    const token = tokens[index]
    const tag = token?.tag ?? 'h2'
    const { anchor, text } = (token?.meta ?? {}) as Partial<Heading>
    if (anchor === undefined) return `</${tag}>\n`
    return ` <a class="anchor" href="#${anchor}" aria-label="Link to ${escapeHtml(text ?? '')}">#</a></${tag}>\n`
  }
  return (text, linkOf) => {
    const tokens = markdown.parse(text, {})
    const headings = nameHeadings(tokens)
    emptyHeads(tokens)
    for (const token of tokens) changeLinks(token, linkOf)
    return {
      title: headings.find(({ level }) => level === 1)?.text ?? '',
      html: markdown.renderer.render(tokens, markdown.options, {}),
      headings: headings.filter(({ level }) => level > 1),
      passages: toPassages(tokens),
    }
  }
}

/** Returns the text of an inline token, without markup. */
function textOf(token: Token | undefined): string {
  const parts = (token?.children ?? [])
    .filter(({ type }) => type !== 'html_inline')
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
  return parts.join('').trim()
}

function nameHeadings(tokens: readonly Token[]): Heading[] {
  const slug = createSlugger()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const heading = { level: Number(token.tag.slice(1)), text: textOf(tokens[index + 1]), anchor: '' }
    heading.anchor = slug(heading.text)
    token.attrSet('id', heading.anchor)
    const close = tokens[index + 2]
    if (close !== undefined && heading.level > 1) close.meta = heading
    return [heading]
  })
}

/** Turns empty header cells into plain cells, as they are not headings. */
function emptyHeads(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [text, close] = [tokens[index + 1], tokens[index + 2]]
    if (token.type === 'th_open' && text?.content === '' && close !== undefined) token.tag = close.tag = 'td'
  }
}

function changeLinks(token: Token, linkOf: LinkOf): void {
  const change = (name: 'href' | 'src'): void => {
    const href = token.attrGet(name)
    if (href === null) return
    const link = linkOf(String(href))
    if (link !== null) return token.attrSet(name, link)
    token.attrs = (token.attrs ?? []).filter(([key]) => key !== name)
  }
  if (token.type === 'link_open') change('href')
  if (token.type === 'image') change('src')
  if (token.type.startsWith('html_'))
    token.content = token.content.replaceAll(
      /\b(src|href)="([^"]+)"/g,
      (_all, name: string, href: string) => `${name}="${linkOf(href) ?? ''}"`,
    )
  for (const child of token.children ?? []) changeLinks(child, linkOf)
}

function toPassages(tokens: readonly Token[]): Passage[] {
  const passages: { heading: string; anchor: string; text: string; keywords: string }[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && Number(token.tag.slice(1)) <= 3)
      passages.push({
        heading: textOf(tokens[index + 1]),
        anchor: token.tag === 'h1' ? '' : String(token.attrGet('id') ?? ''),
        text: '',
        keywords: '',
      })
    const last = passages.at(-1)
    if (last !== undefined && token.type === 'html_block')
      last.keywords += /^<!-- search: (.+?) -->/s.exec(token.content)?.[1] ?? ''
    const isText = token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open'
    if (last !== undefined && (isText || token.type === 'fence'))
      last.text += ` ${isText ? textOf(token) : token.content}`
  }
  return passages.map((passage) => ({ ...passage, text: passage.text.replaceAll(/\s+/g, ' ').trim() }))
}
