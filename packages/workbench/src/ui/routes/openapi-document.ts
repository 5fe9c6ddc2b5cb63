import type { JsonSchema } from '../input/input-editor.tsx'

/** A reference to another part of the document. */
export interface Ref {
  readonly $ref: string
}

/** A parameter in a path, query, header or cookie. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: JsonSchema
}

/** The schemas for a body, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

/** One of an operation's responses. */
export interface ResponseObject {
  readonly description?: string
  readonly content?: Content
  readonly headers?: Readonly<Record<string, unknown>>
}

/** An operation, which is one method of a path. Only the fields that the workbench reads are declared. */
export interface Operation {
  /** The name of the route. */
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses?: Readonly<Record<string, ResponseObject | Ref>>
  readonly security?: Security
}

/** The alternative security requirements. An empty requirement means that authentication is optional. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

/** An app's OpenAPI document. Only the fields that the workbench reads are declared. */
export interface OpenApiDocument {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly security?: Security
}

/** Resolves a reference, or returns undefined if its target does not exist. Returns any other part unchanged. */
export function resolveRef<T extends object>(document: OpenApiDocument, part: T | Ref): T | undefined {
  if (!('$ref' in part)) return part
  const [, group = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(part.$ref) ?? []
  return document.components?.[group]?.[name] as T | undefined
}

const SCHEMA_REF = '#/components/schemas/'

/** Converts a schema to a self-contained one by copying referenced schemas into its `$defs`. */
export function toStandalone(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const shelf = document.components?.['schemas'] ?? {}
  const defs: Record<string, unknown> = {}
  const root = typeof schema['$ref'] === 'string' ? shelf[schema['$ref'].slice(SCHEMA_REF.length)] : schema
  const moved = move(root ?? {}) as JsonSchema
  return Object.keys(defs).length === 0 ? moved : { ...moved, $defs: defs }

  function move(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(move)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, moveMember(name, value)]))
  }

  function moveMember(name: string, value: unknown): unknown {
    if (name !== '$ref' || typeof value !== 'string' || !value.startsWith(SCHEMA_REF)) return move(value)
    const wanted = value.slice(SCHEMA_REF.length)
    if (!(wanted in defs)) {
      // Set before the schema is converted, since the schema can refer to itself.
      defs[wanted] = {}
      defs[wanted] = move(shelf[wanted] ?? {})
    }
    return `#/$defs/${wanted}`
  }
}
