import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toJsValue } from './json-tree.ts'
import { sampleOf } from './sample.ts'
import { shapeOf } from './shape.ts'

/** Schemas that new users typically write. The first input for each schema must be valid. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'the agent of the default template': z.object({ goal: z.string().trim().min(1).max(200) }),
  'the agent of the minimal template': z.object({ name: z.string().trim().min(1).max(80) }),
  'formats and limits': z.object({ mail: z.email(), at: z.iso.datetime(), n: z.number().int().min(3), url: z.url() }),
  'optional members': z.object({ a: z.string().min(2), b: z.string().min(2).optional() }),
  defaults: z.object({ tone: z.enum(['warm', 'short']).default('short'), times: z.number().min(1).default(2) }),
  'lists and unions': z.object({
    rows: z.array(z.object({ id: z.string().min(1) })).min(1),
    way: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a'), x: z.string().min(1) })]),
  }),
}

describe('the first sample of a form', () => {
  it.each(Object.entries(SCHEMAS))('is valid: %s', (_, schema) => {
    const json = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>
    const sample = sampleOf(shapeOf(json, json), 'first')
    expect(schema.safeParse(sample === undefined ? undefined : toJsValue(sample)).error).toBeUndefined()
  })
})
