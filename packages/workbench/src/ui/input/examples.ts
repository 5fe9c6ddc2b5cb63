import { printJson, tryParseJsonTree } from '../form/json-text.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'
import type { Run } from '../../run.ts'

/** A body with a name. */
export interface Example {
  readonly name: string
  readonly body: string
}

/** Bodies from a schema: its examples and default, a minimal one and a full one. */
export function examplesOf(schema: JsonSchema): readonly Example[] {
  const shape = shapeOf(schema, schema)
  const made = [
    ...shape.examples.map((json, index) => ({
      name: shape.examples.length === 1 ? 'Example' : `Example ${index + 1}`,
      json,
    })),
    { name: 'Default', json: shape.defaultValue },
    { name: 'Minimal', json: sampleOf({ ...shape, examples: [], defaultValue: undefined }, 'minimal') },
    { name: 'Full', json: sampleOf({ ...shape, examples: [], defaultValue: undefined }, 'full') },
  ]
  const examples = made.flatMap(({ name, json }) => (json === undefined ? [] : [{ name, body: printJson(json) }]))
  return examples.filter(({ body }, index) => examples.findIndex((other) => other.body === body) === index)
}

/** The body that a run was sent with, or why it cannot be sent again. */
export function exampleOfRun({ request: { body } }: Pick<Run, 'request'>): { body?: string; problem?: string } {
  if (body === null) return { body: '' }
  if (body.isCut) return { problem: 'Of this input only the beginning was kept.' }
  return body.encoding === 'base64' ? { problem: 'This input is not text.' } : { body: body.text }
}

/** A body in a line. */
export function bodyPreview(body: string): string {
  const json = tryParseJsonTree(body)
  const line = json === undefined ? body.trim() : printJson(json, '')
  return line === '' ? 'no body' : line.length > 120 ? `${line.slice(0, 119)}…` : line
}
