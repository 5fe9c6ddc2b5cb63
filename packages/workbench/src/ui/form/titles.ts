import { flatten } from './flatten.ts'
import { isJsonObject, listOf, ownMember, type JsonSchema } from './json-schema.ts'

/** Returns the name of a branch in a union: its title, the value of its discriminator, or its type. */
export function branchTitle(schema: JsonSchema | false | null, discriminator: string | null, root: JsonSchema): string {
  if (schema === false) return 'nothing'
  if (schema === null) return 'JSON'
  if (typeof schema['title'] === 'string') return schema['title']
  if (discriminator !== null) {
    const member = flatten(ownMember(schema['properties'], discriminator), root)
    if (isJsonObject(member)) return valueTitle(member['const'])
  }
  return plainTitle(schema, root)
}

function plainTitle(schema: JsonSchema, root: JsonSchema): string {
  if ('const' in schema) return valueTitle(schema['const'])
  const options = listOf(schema, 'enum')
  if (options.length > 0) return options.slice(0, 3).map(valueTitle).join(' | ') + (options.length > 3 ? ' | …' : '')
  const names = Object.keys(isJsonObject(schema['properties']) ? schema['properties'] : {})
  if (names.length > 0) return `{ ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''} }`
  const [type] = [schema['type']].flat()
  const { format } = schema
  if (type === 'string' && typeof format === 'string') return format
  if (type === 'array') {
    const items = flatten(schema['items'], root)
    return isJsonObject(items) && items !== schema && items['items'] === undefined
      ? `array of ${plainTitle(items, root)}`
      : 'array'
  }
  return TYPE_TITLES[String(type)] ?? 'JSON'
}

const TYPE_TITLES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  object: 'object',
  array: 'array',
  null: 'null',
}

/** Returns a short title for a value: a string as is, any other value as JSON. */
function valueTitle(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}

/** Makes titles unique by numbering duplicates. */
export function toUniqueTitles(titles: readonly string[]): readonly string[] {
  return titles.map((title, index) => {
    const before = titles.slice(0, index).filter((other) => other === title).length
    return titles.filter((other) => other === title).length === 1 ? title : `${title} (${before + 1})`
  })
}

/** Returns a readable label for a member name, even if the name is empty. */
export function memberLabel(name: string): string {
  return name.trim() === '' ? JSON.stringify(name) : name
}
