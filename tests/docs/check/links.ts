import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dirname, normalize } from 'node:path/posix'
import { createSlugger } from '../../../docs/site/slug.ts'
import { readBlocks } from './block.ts'
import { ROOT, type Page } from './page.ts'

/** Returns the broken links and images of a page. Other hosts are not requested. */
export function checkLinks({ path, text }: Pick<Page, 'path' | 'text'>): string[] {
  const lines = withoutCode(text).split('\n')
  return lines.flatMap((line, at) =>
    targetsOf(line).flatMap((target) => {
      const problem = /^(?:https?|mailto|wss?):/.test(target) ? undefined : checkTarget(path, target)
      return problem === undefined ? [] : [`${path}:${at + 1} ${problem}`]
    }),
  )
}

/** Returns the anchors of a page's headings. */
function anchorsOf(markdown: string): string[] {
  const slug = createSlugger()
  const lines = withoutFences(markdown).split('\n')
  return lines.flatMap((line) => {
    const [, heading] = /^#{1,6} +(.+?)\s*#*$/.exec(line) ?? []
    return heading === undefined ? [] : [slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''))]
  })
}

function targetsOf(line: string): string[] {
  const found = line.matchAll(
    /\]\(<?([^()\s>]+(?:\([^()\s]*\))?[^()\s>]*)>?(?: "[^"]*")?\)|<(?:img|a)\b[^>]*?(?:src|href)="([^"]+)"/g,
  )
  return [...found].map(([, markdown, html]) => markdown ?? html ?? '')
}

function checkTarget(from: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#')
  if (file.startsWith('/')) return `${target} begins with /: links are relative`
  const path = file === '' ? from : normalize(`${dirname(from)}/${decodeURIComponent(file)}`)
  if (path.startsWith('..')) return `${target} leads out of the repository`
  if (!existsSync(join(ROOT, path))) return `there is no ${target}`
  if (anchor === undefined) return undefined
  if (statSync(join(ROOT, path)).isDirectory() || !path.endsWith('.md')) return `${target}: only pages have anchors`
  return anchorsOf(readFileSync(join(ROOT, path), 'utf8')).includes(anchor) ? undefined : `${path} has no #${anchor}`
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)(?:(?!\1|\n\n)[^])+?\1(?!`)/g, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  )
}

function withoutFences(markdown: string): string {
  const lines = markdown.split('\n')
  for (const { line, text } of readBlocks(markdown)) lines.fill('', line - 1, line - 2 + text.split('\n').length)
  return lines.join('\n')
}
