import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The open points of the specification, by section, as `docs/reference/spec.md` names them. */
export const NOT_SHOWN: readonly (readonly [section: string, what: string])[] = [
  ['2.1', 'pagination metadata'],
  ['2.1', 'timestamp field names'],
  ['2.4', '`readyState` values'],
  ['2.5', 'format of `authHeader`'],
  ['2.6', 'other user fields'],
  ['3', 'states of a resource'],
  ['4.1', 'schemas of specific resources'],
  ['4.1', 'pagination parameters'],
  ['4.2', 'schemas of agent routes'],
  ['4.4', 'sub-paths and payloads'],
  ['5', 'token format'],
  ['5', 'header name'],
  ['5', 'session lifetime'],
  ['5', 'credential payloads'],
  ['6', 'event kinds'],
  ['6', 'webhooks'],
  ['7.3', 'other codes'],
  ['7.3', 'mapping from status'],
  ['7.3', 'content of `details`'],
  ['8', 'rate limits'],
  ['8', 'rate limit headers'],
  ['9', 'versions of the SDK packages'],
  ['9', 'compatibility rules'],
]

const PAGE = fileURLToPath(new URL('../../../docs/reference/spec.md', import.meta.url))

/** A section of the page on the specification. */
export interface Decisions {
  readonly number: string
  /** The decisions, by open question. */
  readonly decided: ReadonlyMap<string, string>
  /** The targets of its links. */
  readonly links: readonly string[]
}

/** Reads the page on the specification by section. */
export function readDecisions(): Decisions[] {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split(/^## /m)
  return sections.map((section) => ({
    number: section.split(' ', 1)[0] ?? '',
    decided: new Map(section.split('\n').flatMap(readRow)),
    links: Array.from(section.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link = '']) => link),
  }))
}

/** A row of a table with two columns. */
function readRow(line: string): [string, string][] {
  const [, open = '', decided = ''] = /^\| (.+?) +\| (.+?) +\|$/.exec(line) ?? []
  return open === '' ? [] : [[open, decided]]
}

/** Returns whether a page exists and has a heading. */
export function linkTargetExists(link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? PAGE : join(dirname(PAGE), path)
  if (!existsSync(file)) return false
  const headings = Array.from(readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading)
  return anchor === undefined || headings.map(toAnchor).includes(anchor)
}

/** Returns the anchor that GitHub creates for a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
