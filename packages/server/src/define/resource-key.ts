import type { AnyResourceDefinition } from './resource-definition.ts'
import type { Field } from './store.ts'

/** The fields that identify a row in addition to its id, and the routes that they add. */
export interface ResourceKey {
  /** The fields in the path. Their values are sent by the caller. */
  readonly fields: readonly Field[]
  /** The names of the fields that only `assign` sets. They have no path segment. */
  readonly assigned: readonly string[]
  /** The path below the resource's path, such as `/by-slug/:slug`. */
  readonly path: string
}

/** Returns the names of the key's fields, or an empty array if the resource has no key. */
export function keyNamesOf({ key = [] }: Pick<AnyResourceDefinition, 'key'>): readonly string[] {
  return typeof key === 'string' ? [key] : key
}

/** Returns the key of a resource, or null if it has none. */
export function toResourceKey(
  definition: Pick<AnyResourceDefinition, 'key'>,
  declared: readonly Field[],
): ResourceKey | null {
  const names = keyNamesOf(definition)
  if (names.length === 0) return null
  const fields = names.flatMap((name) => declared.find((field) => field.name === name) ?? [])
  const assigned = names.filter((name) => !fields.some((field) => field.name === name))
  const segments = fields.map(({ name }) => `/:${name}`).join('')
  return { fields, assigned, path: `/by-${names.map(toKebabCase).join('-')}${segments}` }
}

function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The path of a key below the resource's path, such as `by-slug/:slug`, or `never` if there is no key. */
export type KeyPath<Key, Declared> = [Key] extends [never]
  ? never
  : Key extends readonly string[]
    ? `by-${KeyName<Key>}${KeySegments<Key, Declared>}`
    : `by-${KeyName<readonly [Key]>}${KeySegments<readonly [Key], Declared>}`

type KeyName<Names extends readonly unknown[]> = Names extends readonly [infer First extends string, ...infer Rest]
  ? `${KebabCase<First>}${Rest extends readonly [] ? '' : '-'}${KeyName<Rest>}`
  : ''

type KeySegments<Names extends readonly unknown[], Declared> = Names extends readonly [
  infer First extends string,
  ...infer Rest,
]
  ? `${First extends Declared ? `/:${First}` : ''}${KeySegments<Rest, Declared>}`
  : ''

type KebabCase<Text extends string> = Text extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${KebabCase<Rest>}`
  : ''
