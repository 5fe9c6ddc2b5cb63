import type { OpenApiDocument } from './document.ts'

/** A schema of a document, with its location and direction. */
export interface FoundSchema {
  readonly where: string
  readonly side: 'request' | 'response'
  readonly schema: Record<string, unknown>
}

type Side = FoundSchema['side']

/** Returns all nested schemas of a document except `not` and `if`, which do not describe values that are sent. */
export function schemasIn(document: OpenApiDocument): FoundSchema[] {
  const { schemas, responses, parameters, headers } = document.components
  return [
    ...Object.entries(document.paths).flatMap(([path, item]) => inPart(item, path, 'request')),
    ...Object.entries(schemas).flatMap(([name, schema]) =>
      inSchema(schema, name, /(Input|Params|Query)\d*$/.test(name) ? 'request' : 'response'),
    ),
    ...inPart(responses, 'responses', 'response'),
    ...inPart(parameters, 'parameters', 'request'),
    ...inPart(headers, 'headers', 'response'),
  ]
}

/** Searches for members called `schema` in objects that are not schemas. */
function inPart(value: unknown, where: string, side: Side): FoundSchema[] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([key, inner]) => {
    const place = `${where} ${key}`
    return key === 'schema'
      ? inSchema(inner, place, side)
      : inPart(inner, place, key === 'responses' ? 'response' : side)
  })
}

function inSchema(schema: unknown, where: string, side: Side): FoundSchema[] {
  if (Array.isArray(schema)) return schema.flatMap((inner, index) => inSchema(inner, `${where}/${index}`, side))
  if (!isObject(schema)) return []
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    if (['not', 'if', 'enum', 'const', 'required', 'type'].includes(keyword)) return []
    const isNamed = ['properties', 'patternProperties', '$defs', 'dependentSchemas'].includes(keyword)
    const values = isNamed && isObject(value) ? Object.entries(value) : ([['', value]] as const)
    return values.flatMap(([name, one]) => inSchema(one, `${where}/${keyword}/${name}`, side))
  })
  return [{ where, side, schema }, ...inner]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
