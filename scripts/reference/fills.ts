import { main as createMain } from '@sdk/create'
import { afterClose } from '@sdk/protocol'
import { ask, readExplanations } from './command-line.ts'
import type { PublicPackage } from './entry.ts'
import { linksFor } from './links.ts'
import { runtimesTable } from './runtimes.ts'
import { memberParts } from './page.ts'
import { toTable, toWords } from './table.ts'

const FILL = /(<!-- fill: (\w+) ?(.*?) -->\n)[^]*?(\n<!-- \/fill -->)/g

/**
 * Fills the generated parts of a page: replaces the text between `<!-- fill: options server AppOptions -->` and
 * `<!-- /fill -->` with the table of these options. Other kinds: `codes` by their title in `sdk explain`, `closes`,
 * `commands`, `usages` (only the commands), `ranges`, `runtimes` (the results of the contract suite).
 */
export async function fillPage(page: string, packages: readonly PublicPackage[]): Promise<string> {
  const fills = new Map<string, string>()
  for (const [, head = '', kind = '', subject = ''] of page.matchAll(FILL))
    fills.set(head, await makeFill(kind, subject, packages))
  return page.replaceAll(FILL, (...[, head, , , end]: string[]) => `${head}\n${fills.get(head ?? '')}\n${end}`)
}

function makeFill(kind: string, subject: string, packages: readonly PublicPackage[]): string | Promise<string> {
  if (kind === 'options') return optionsTable(subject, packages)
  if (kind === 'codes') return codesTable(subject)
  if (kind === 'closes') return closesTable()
  if (kind === 'commands') return commandParts()
  if (kind === 'usages') return usagesTable()
  if (kind === 'ranges') return rangesTable(packages)
  if (kind === 'runtimes') return runtimesTable()
  throw new Error(`unknown kind of fill: ${JSON.stringify(kind)}`)
}

function optionsTable(subject: string, packages: readonly PublicPackage[]): string {
  const [folder, name] = subject.split(' ')
  const whole = packages.find((one) => one.folder === folder)
  const found = whole?.entries.flatMap(({ exports }) => exports).find((one) => one.name === name)
  if (whole === undefined || found === undefined) throw new Error(`no options found for ${subject}`)
  const linkTo = linksFor(whole)
  const parts = found.parts.flatMap(({ node }) => memberParts(found.module, node, linkTo))
  return parts
    .join('\n\n')
    .replaceAll(/\]\((#|[a-z]+\.md#)/g, (_, to: string) => `](packages/${to === '#' ? `${folder}.md#` : to}`)
}

async function codesTable(title: string): Promise<string> {
  const codes = (await readExplanations()).filter((one) => one.title === title)
  if (codes.length === 0) throw new Error(`sdk explain has no codes under ${JSON.stringify(title)}`)
  const rows = codes.map(({ code, means, why, fix }) => {
    const [, what = means, status = ''] = /^(.*?)(?: \((\d{3})\))?\.?$/s.exec(means) ?? []
    return [`\`${code}\``, status, toWords(`${what}. ${why}`), toWords(fix)]
  })
  const hasStatus = rows.some(([, status]) => status !== '')
  const cells = hasStatus ? rows : rows.map(([code = '', , ...rest]) => [code, ...rest])
  return toTable(['Code', ...(hasStatus ? ['Status'] : []), 'When', 'What to do'], cells)
}

const AFTERWARDS: Readonly<Record<ReturnType<typeof afterClose>, string>> = {
  finish: 'ends',
  stop: 'ends with an error',
  refresh: 'refreshes its token once, then ends',
  'retry-later': 'reconnects after at least 5 s',
  retry: 'reconnects',
}

async function closesTable(): Promise<string> {
  const codes = (await readExplanations()).filter((one) => one.title === 'Closed sockets')
  const rows = codes.map(({ code, means, why, fix }) => [
    `\`${code}\``,
    toWords(`${means} ${why}`),
    AFTERWARDS[afterClose(Number(code))],
    toWords(fix),
  ])
  return toTable(['Code', 'When', 'Client', 'What to do'], rows)
}

/** Returns the peer dependencies and engines of each package, from its package.json. */
function rangesTable(packages: readonly PublicPackage[]): string {
  const rows = packages.flatMap(({ name, engines = {}, peerDependencies = {} }) =>
    Object.entries({ ...engines, ...peerDependencies }).map(([what, range]) => ({ what, range, name })),
  )
  const kinds = new Set(rows.map(({ what, range }) => `${what} ${range}`))
  return toTable(
    ['Needs', 'Range', 'Packages'],
    Array.from(kinds, (kind) => {
      const same = rows.filter(({ what, range }) => `${what} ${range}` === kind)
      const who = same.length === packages.length ? 'all' : same.map(({ name }) => `\`${name}\``).join(', ')
      return [`\`${same[0]?.what}\``, `\`${same[0]?.range}\``, who]
    }),
  )
}

/** Returns all commands with their help text. */
async function commandParts(): Promise<string> {
  const all = await ask(['--help'])
  const names = Array.from(all.matchAll(/^ {2}sdk (\w+)/gm), ([, name = '']) => name)
  const parts = [block(all)]
  for (const name of names) parts.push(`## sdk ${name}`, block(await ask([name, '--help'])))
  return [...parts, '## npm create @sdk', block(await createHelp())].join('\n\n')
}

/** Returns the usage and the summary of each command. */
async function usagesTable(): Promise<string> {
  const lines = (await ask(['--help'])).matchAll(/^ {2}(sdk .+?) {2,}(.+)$/gm)
  return toTable(
    ['', ''],
    Array.from(lines, ([, usage = '', summary = '']) => [`\`${usage}\``, toWords(summary)]),
  )
}

function block(text: string): string {
  return ['```text', text.trimEnd(), '```'].join('\n')
}

async function createHelp(): Promise<string> {
  const lines: string[] = []
  const { log } = console
  console.log = (line: string) => void lines.push(line)
  try {
    await createMain(['--help'])
  } finally {
    console.log = log
  }
  return lines.join('\n')
}
