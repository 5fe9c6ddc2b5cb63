import { isJsonObject, type JsonSchema } from './json-schema.ts'

/** Returns the message for a violated keyword, worded like the server's messages. */
export function issueMessage(keyword: string, said: unknown, around: JsonSchema): string {
  return MESSAGES[keyword]?.(said, around) ?? 'does not match the schema'
}

type MessageOf = (said: unknown, around: JsonSchema) => string

const MESSAGES: Readonly<Record<string, MessageOf>> = {
  required: () => 'is required',
  dependentRequired: () => 'is required because another field is set',
  type: (said) => `must be ${[said].flat().map(typeName).join(' or ')}`,
  const: (said) => `must be ${short(said)}`,
  enum: (said) => enumMessage(said),
  false: () => 'is not a known field',
  not: (said) => (isJsonObject(said) && Object.keys(said).length === 0 ? 'must be omitted' : notMessage(said)),
  anyOf: (said) => branchMessage(said),
  oneOf: () => 'must match exactly one of the choices',
  minLength: (said) => `must have at least ${count(said, 'character')}`,
  maxLength: (said) => `must have at most ${count(said, 'character')}`,
  minItems: (said) => `must have at least ${count(said, 'item')}`,
  maxItems: (said) => `must have at most ${count(said, 'item')}`,
  minProperties: (said) => `must have at least ${count(said, 'member')}`,
  maxProperties: (said) => `must have at most ${count(said, 'member')}`,
  uniqueItems: () => 'must not have duplicate items',
  contains: () => 'must contain a matching item',
  minContains: (said) => `must have at least ${count(said, 'matching item')}`,
  maxContains: (said) => `must have at most ${count(said, 'matching item')}`,
  minimum: (said) => `must be at least ${short(said)}`,
  maximum: (said) => `must be at most ${short(said)}`,
  exclusiveMinimum: (said) => `must be more than ${short(said)}`,
  exclusiveMaximum: (said) => `must be less than ${short(said)}`,
  multipleOf: (said) => (said === 1 ? 'must be an integer' : `must be a multiple of ${short(said)}`),
  format: (said) => formatMessage(said),
  pattern: (said, around) => (around['format'] === undefined ? patternMessage(said) : formatMessage(around['format'])),
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function typeName(type: unknown): string {
  return TYPE_NAMES[String(type)] ?? String(type)
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  email: 'an email address, such as ada@example.com',
  uri: 'a URL, such as https://example.com',
  url: 'a URL, such as https://example.com',
  uuid: 'a UUID, such as 3f2b8c1e-6f1d-4c0a-9b7e-2d5a1f0c8e44',
  date: 'a date, such as 2026-01-31',
  'date-time': 'a date and time, such as 2026-01-31T12:00:00Z',
  time: 'a time, such as 12:30:00',
  duration: 'a duration, such as PT1H30M',
  ipv4: 'an IPv4 address, such as 192.0.2.1',
  ipv6: 'an IPv6 address, such as 2001:db8::1',
  hostname: 'a hostname, such as example.com',
}

function formatMessage(format: unknown): string {
  return `must be ${FORMAT_NAMES[String(format)] ?? `in the format ${String(format)}`}`
}

/** Describes simple patterns in words. Other patterns are shown as they are. */
function patternMessage(pattern: unknown): string {
  const simple = /^\^\[([^\]]+)\](\+|\*|\{[\d,]+\})?\$$/.exec(String(pattern))
  const classes = simple?.[1] === undefined ? null : classNames(simple[1])
  return classes === null ? `must match the pattern ${String(pattern)}` : `must only contain ${classes}`
}

function classNames(inside: string): string | null {
  const names: Readonly<Record<string, string>> = {
    'a-z': 'lowercase letters',
    'A-Z': 'uppercase letters',
    '0-9': 'digits',
    '\\d': 'digits',
    '\\w': 'letters, digits and _',
    '\\s': 'spaces',
  }
  const parts = inside.match(/[a-zA-Z0-9]-[a-zA-Z0-9]|\\.|[^\\]/g) ?? []
  if (parts[0] === '^') return null
  const words = parts.map((part) => names[part] ?? (part.length === 1 || part.startsWith('\\') ? part.at(-1) : null))
  return words.includes(null) ? null : words.join(', ')
}

function enumMessage(said: unknown): string {
  const options = Array.isArray(said) ? said.map(short) : []
  if (options.length === 1) return `must be ${options[0]}`
  const more = options.length > 8 ? ` (and ${options.length - 8} more)` : ''
  return `must be one of ${options.slice(0, 8).join(', ')}${more}`
}

/** Returns a message that lists the types in a union, or a general one if a branch has no simple type or constant. */
function branchMessage(said: unknown): string {
  const words = branchNames(said)
  return words.length === 0 || words.includes(null)
    ? 'does not match any of the choices'
    : `must be ${[...new Set(words)].join(' or ')}`
}

function branchNames(said: unknown): readonly (string | null)[] {
  return (Array.isArray(said) ? said : []).flatMap((branch: unknown) => {
    if (!isJsonObject(branch)) return [null]
    if ('const' in branch) return [short(branch['const'])]
    if ('anyOf' in branch) return branchNames(branch['anyOf'])
    return 'type' in branch ? [branch['type']].flat().map(typeName) : [null]
  })
}

function notMessage(said: unknown): string {
  return isJsonObject(said) && 'const' in said
    ? `must not be ${short(said['const'])}`
    : 'has a value that is not allowed'
}

function count(said: unknown, unit: string): string {
  return `${String(said)} ${unit}${said === 1 ? '' : 's'}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
