import { relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { PublicPackage, Entry } from './entry.ts'
import { groupExports, isValue } from './groups.ts'
import { headingOf, linksFor, pageOf, toAnchor, typeCell, type LinkTo } from './links.ts'
import { membersOf, type Member, type Members } from './members.ts'
import { toSignature } from './signature.ts'
import { findDeclared, type Declaration, type Declared, type SourceModule } from './source-module.ts'
import { oneLine } from './syntax.ts'
import { toCell, toTable } from './table.ts'

interface Place {
  readonly root: string
  /** How deep headings are. */
  readonly level: number
  readonly linkTo: LinkTo
  readonly toHeading: (declared: Declared) => string
}

/** The page of a package, as Markdown. */
export function toPage(root: string, whole: PublicPackage): string {
  const { folder, name, description, entries } = whole
  const hasOne = entries.length === 1
  const toHeading = (declared: Declared): string => headingOf(whole, declared)
  const place = { root, level: hasOne ? 2 : 3, linkTo: linksFor(whole), toHeading }
  return [
    `# ${name}`,
    `${description}. How to begin is in its [README](../../../packages/${folder}/README.md).`,
    '<!-- Made by `npm run reference` from the JSDoc of the sources: change it there. -->',
    ...entries.flatMap((entry) => [...(hasOne ? [] : [`## Entry ${entry.name}`]), ...entryParts(entry, place)]),
  ].join('\n\n')
}

function entryParts(entry: Entry, place: Place): string[] {
  const { groups, rest } = groupExports(entry.exports)
  const below = { ...place, level: place.level + 1 }
  return [
    contents(entry),
    ...groups.flatMap(({ head, types }) => [
      ...exportParts(head, place),
      ...types.flatMap((type) => exportParts(type, below)),
    ]),
    ...rest.flatMap((type) => exportParts(type, place)),
  ]
}

function contents({ exports, borrowed }: Entry): string {
  const own = exports
    .filter(isValue)
    .map(({ name, parts }) => [`[\`${name}\`](#${toAnchor(name)})`, toCell(firstSentence(parts[0]?.doc.text ?? ''))])
  const others = borrowed.map(({ name, from }) => [
    `[\`${name}\`](${pageOf(from)}#${toAnchor(name)})`,
    `That of \`${from}\`.`,
  ])
  return toTable(['Export', 'For'], [...own, ...others])
}

function firstSentence(text: string): string {
  return /^.*?[.:;?](?=\s|$)/.exec(text)?.[0].replace(/[:;]$/, '.') ?? text
}

function exportParts(declared: Declared, place: Place): string[] {
  const { module, parts } = declared
  const path = relative(place.root, module.path)
  const docs = parts.map(({ doc }) => doc)
  const examples = docs.flatMap((doc) => doc.examples)
  const signatures = parts.flatMap(({ node }) => (membersOf(module, node) === null ? [toSignature(module, node)] : []))
  return [
    `${'#'.repeat(place.level)} ${place.toHeading(declared)}`,
    ...new Set(docs.map(({ text }) => text)),
    ...(signatures.length === 0 ? [] : [fence(signatures.join('\n'))]),
    ...parts.flatMap(({ node }) => memberParts(module, node, place.linkTo)),
    ...(examples.length === 0 ? [] : ['For example:', fence(examples.join('\n'), 'js')]),
    `<sub>${kindOf(parts[0]?.node)} in [${path.replace(/^packages\/[^/]+\/src\//, '')}](../../../${path})</sub>`,
  ]
}

/** What a declaration has, as a table; nothing where it is no object. */
export function memberParts(module: SourceModule, node: Declaration, linkTo: LinkTo): string[] {
  const members = shownMembers(module, node, linkTo)
  if (members === null) return []
  const inherited = members.inherited.join(', ')
  // What begins with a tilde carries types and is nothing to use.
  const rows = members.own.filter(({ key }) => !key.startsWith('~'))
  return [
    ...(inherited === ''
      ? []
      : [
          `Has ${inherited.startsWith('`') && inherited.includes('` of [') ? '' : 'all of '}${inherited}${rows.length === 0 ? '.' : ', and:'}`,
        ]),
    ...(rows.length === 0 ? [] : [memberTable(rows, linkTo)]),
  ]
}

/** The members of a declaration with those of what it extends, where that has no heading of its own. */
function shownMembers(module: SourceModule, node: Declaration, linkTo: LinkTo): Members | null {
  const members = membersOf(module, node)
  if (members === null) return null
  const inherited: string[] = []
  const own = [...members.own]
  for (const type of members.inherited) {
    const hidden = /^\w+$/.test(type) && linkTo(module, type) === null ? findDeclared(module.path, type) : null
    const inner = hiddenMembers(hidden, linkTo)
    inherited.push(...(inner?.inherited ?? [inheritedCell(module, aliasOf(hidden) ?? type, linkTo)]))
    own.push(...(inner?.own ?? []))
  }
  return { inherited, own }
}

function hiddenMembers(hidden: Declared | string | null, linkTo: LinkTo): Members | null {
  if (hidden === null || typeof hidden === 'string') return null
  const [part] = hidden.parts
  return part === undefined ? null : shownMembers(hidden.module, part.node, linkTo)
}

/** What a name stands for that users do not see. */
function aliasOf(hidden: Declared | string | null): string | null {
  if (hidden === null || typeof hidden === 'string') return null
  const node = hidden.parts[0]?.node
  return node?.type === 'TSTypeAliasDeclaration' ? oneLine(hidden.module, node.typeAnnotation) : null
}

function inheritedCell(module: SourceModule, type: string, linkTo: LinkTo): string {
  const [, whole = '', keys] = /^Pick<(\w+(?:<.*>)?), ('[^<>]*')>$/.exec(type) ?? []
  if (keys === undefined) return typeCell(module, type, linkTo)
  const names = keys.split(' | ').map((key) => `\`${key.slice(1, -1)}\``)
  return `${names.join(', ')} of ${typeCell(module, whole.replace(/<.*/, ''), linkTo)}`
}

function memberTable(members: readonly Member[], linkTo: LinkTo): string {
  const hasDefault = members.some(({ doc }) => doc.default !== null)
  const rows = members.map(({ name, type, isOptional, doc, module }) => [
    `\`${name}${isOptional && /^\w+$/.test(name) ? '?' : ''}\``,
    typeCell(module, type, linkTo),
    ...(hasDefault ? [toCell(toDefault(doc.default ?? ''))] : []),
    toCell([doc.text, ...doc.examples.map((example) => `For example \`${example}\``)].join(' ').trim()),
  ])
  return toTable(['Name', 'Type', ...(hasDefault ? ['Default'] : []), 'Meaning'], rows)
}

/** Code as code, words as words. */
function toDefault(text: string): string {
  const isCode = /^(?:[\d_.]+|true|false|null|'[^']*'|\[\]|\{\}|\w+(?:\.\w+)*\([^)]*\))$/.test(text)
  return isCode ? `\`${text}\`` : text
}

/** A block; what is no program on its own has no language. */
function fence(text: string, language = 'text'): string {
  const isCode = language === 'js' && parseSync('example.js', text).errors.length === 0
  return [`\`\`\`${isCode ? language : 'text'}`, text, '```'].join('\n')
}

function kindOf(node: Declaration | undefined): string {
  if (node?.type === 'TSInterfaceDeclaration') return 'Interface'
  if (node?.type === 'TSTypeAliasDeclaration') return 'Type'
  if (node?.type === 'ClassDeclaration') return 'Class'
  return node?.type === 'VariableDeclarator' ? 'Constant' : 'Function'
}
