/** Fields to log in addition to the message. */
export type LogFields = Record<string, unknown>

const MAX_TEXT_LENGTH = 8_192
const MAX_LOG_DEPTH = 8
const MAX_LOG_VALUES = 1_000

const SECRET_NAME = /authorization|cookie|passw(?:or)?d|passphrase|secret|api[-_]?key|token/i
/** Matches names whose numeric values are not secret, such as an agent's token counts. */
const TOKEN_NAME = /token/i

/**
 * Serializes a value for a log. Redacts secrets, truncates strings, and marks cycles and unreadable objects. Never
 * throws.
 */
export function toLogText(value: unknown): string {
  return new LogValueWriter().text(value) ?? 'null'
}

/** Serializes each field of an object as JSON. Never throws. */
export function toLogFields(fields: object): [name: string, text: string][] {
  return new LogValueWriter().fields(fields)
}

/** Truncates a string that is too long for a log. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length - MAX_TEXT_LENGTH} more characters)`
}

// Matches all characters that JSON must escape, and some rare ones that `JSON.stringify` leaves unchanged.
const UNSAFE = /[^ !#-[\]-~]/

/** Serializes a string as JSON. */
export function quoteJson(text: string): string {
  return UNSAFE.test(text) ? JSON.stringify(text) : `"${text}"`
}

class LogValueWriter {
  #left = MAX_LOG_VALUES
  readonly #ancestors: object[] = []

  /** Serializes a value, or returns undefined if JSON cannot represent it, such as a function. */
  text(value: unknown): string | undefined {
    if (typeof value === 'string') return quoteJson(cutText(value))
    if (typeof value === 'bigint') return `"${value}"`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    if (this.#ancestors.includes(value)) return '"[circular]"'
    if (this.#ancestors.length >= MAX_LOG_DEPTH) return '"[too deep]"'
    this.#ancestors.push(value)
    try {
      return this.#object(value)
    } catch {
      return UNREADABLE_TEXT
    } finally {
      this.#ancestors.pop()
    }
  }

  fields(object: object): [name: string, text: string][] {
    const all: [string, string][] = []
    for (const name of readKeys(object)) {
      if (this.#left-- <= 0) return [...all, ['…', '"more fields"']]
      const text = this.#field(object, name)
      if (text !== undefined) all.push([cutText(name), text])
    }
    return all
  }

  #object(value: object): string | undefined {
    if (ArrayBuffer.isView(value)) return `"[${value.byteLength} bytes]"`
    if (hasToJson(value)) return this.text(value.toJSON())
    if (Array.isArray(value)) return this.#array(value)
    // The standard properties of an error are not enumerable.
    const own = value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : {}
    return toObjectText([...this.fields(own), ...this.fields(value)])
  }

  #array(items: readonly unknown[]): string {
    const texts: string[] = []
    for (const item of items) {
      if (this.#left-- <= 0) return `[${[...texts, `"… (${items.length - texts.length} more)"`].join(',')}]`
      texts.push(this.text(item) ?? 'null')
    }
    return `[${texts.join(',')}]`
  }

  #field(object: object, name: string): string | undefined {
    try {
      const value: unknown = Reflect.get(object, name)
      return isSecret(name, value) ? '"[redacted]"' : this.text(value)
    } catch {
      return UNREADABLE_TEXT // a getter threw an error
    }
  }
}

const UNREADABLE_TEXT = '"[unreadable]"'

/** Joins serialized fields into a JSON object. */
export function toObjectText(fields: readonly (readonly [name: string, text: string])[]): string {
  return `{${fields.map(([name, text]) => `${quoteJson(name)}:${text}`).join(',')}}`
}

function readKeys(object: object): string[] {
  try {
    return Object.keys(object)
  } catch {
    return [] // a proxy threw an error
  }
}

/** Returns whether a value, such as a date or a URL, has a `toJSON` method. */
export function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/**
 * Returns whether a field is secret, based on its name. Null and booleans are not secret, since they reveal only
 * whether the field is set.
 */
export function isSecret(name: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return false
  return SECRET_NAME.test(name) && !(typeof value === 'number' && TOKEN_NAME.test(name))
}
