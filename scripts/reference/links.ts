import { isValue } from './groups.ts'
import { findDeclared, type Declared, type SourceModule } from './source-module.ts'
import type { PublicPackage } from './entry.ts'
import { toCell } from './table.ts'

/** Returns the link to the heading of a type, from the page of a package. */
export type LinkTo = (module: SourceModule, name: string) => string | null

/** Returns the anchor that GitHub creates for a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-')
}

/**
 * Returns the heading of an export. If the names of two exports differ only by case, the heading of the type has its
 * kind. If two entries have different exports with the same name, the heading of the second has the name of its entry.
 */
export function headingOf({ entries }: PublicPackage, declared: Declared): string {
  const { name, module } = declared
  const sharing = entries.filter(({ exports }) => exports.some((one) => one.name === name))
  const home = sharing.find(({ exports }) =>
    exports.some((one) => one.name === name && one.module.path === module.path),
  )
  if (home !== undefined && home !== sharing[0]) return `${name} (${home.name.split('/').at(-1)})`
  const rival = entries
    .flatMap(({ exports }) => exports)
    .find((one) => one.name !== name && one.name.toLowerCase() === name.toLowerCase())
  return rival !== undefined && !isValue(declared) ? `${name} (type)` : name
}

/** Creates the links for the page of a package: to its own headings, and to those of the packages it imports from. */
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

/** Returns the page of a specifier: `@sdk/server/engine` → `server.md`. */
export function pageOf(specifier: string): string {
  return `${specifier.split('/')[1] ?? ''}.md`
}

/** Formats a type for a table cell, as a link if it is a single name with a heading. */
export function typeCell(module: SourceModule, type: string, linkTo: LinkTo): string {
  if (type === '') return ''
  const short = type.length > 90 ? type.replace(/<.*>/s, '<…>') : type
  const code = `\`${toCell(short)}\``
  const [, name = ''] = /^(?:readonly )?([A-Z]\w*)(?:<.*>)?(?:\[\])?(?: \| null)?$/s.exec(type) ?? []
  const href = name === '' ? null : linkTo(module, name)
  return href === null ? code : `[${code}](${href})`
}
