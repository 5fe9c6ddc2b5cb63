import { isValue } from './groups.ts'
import { findDeclared, type Declared, type SourceModule } from './source-module.ts'
import type { PublicPackage } from './entry.ts'
import { toCell } from './table.ts'

/** Finds the heading of a type, from the page of a package. */
export type LinkTo = (module: SourceModule, name: string) => string | null

/** What GitHub makes of a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-')
}

/** The heading of an export. A type whose name differs from another only by case has its kind added. */
export function headingOf({ entries }: PublicPackage, declared: Declared): string {
  const { name } = declared
  const rival = entries
    .flatMap(({ exports }) => exports)
    .find((one) => one.name !== name && one.name.toLowerCase() === name.toLowerCase())
  return rival !== undefined && !isValue(declared) ? `${name} (type)` : name
}

/** Links for the page of a package: to its own headings, and to those of the packages it imports from. */
export function linksFor(whole: PublicPackage): LinkTo {
  const exports = whole.entries.flatMap((entry) => entry.exports)
  return (module, name) => {
    const declared = findDeclared(module.path, name)
    if (declared === null) return null
    if (typeof declared === 'string')
      return declared.startsWith('@sdk/') ? `${pageOf(declared)}#${toAnchor(name)}` : null
    const isHere = exports.some((one) => one.name === name && one.module.path === declared.module.path)
    return isHere ? `#${toAnchor(headingOf(whole, declared))}` : null
  }
}

/** `@sdk/server/engine` → `server.md`. */
export function pageOf(specifier: string): string {
  return `${specifier.split('/')[1] ?? ''}.md`
}

/** A type for a cell of a table; a link where it is one name that has a heading. */
export function typeCell(module: SourceModule, type: string, linkTo: LinkTo): string {
  if (type === '') return ''
  const short = type.length > 90 ? type.replace(/<.*>/s, '<…>') : type
  const code = `\`${toCell(short)}\``
  const [, name = ''] = /^(?:readonly )?([A-Z]\w*)(?:<.*>)?(?:\[\])?(?: \| null)?$/s.exec(type) ?? []
  const href = name === '' ? null : linkTo(module, name)
  return href === null ? code : `[${code}](${href})`
}
