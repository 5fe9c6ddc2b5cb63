import type { OpenApiDocument } from './document.ts'

/** A schema of a document: where it stands, and on which side of the wire. */
export interface FoundSchema {
  readonly where: string
  readonly side: 'request' | 'response'
  readonly schema: Record<string, unknown>
}

type Side = FoundSchema['side']

/** Every schema of a document, however deep; apart from `not` and `if`, which describe no value that is sent. */
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

/** Looks for members called `schema` in what is no schema itself. */
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
