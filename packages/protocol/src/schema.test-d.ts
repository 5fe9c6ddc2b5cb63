import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { validate, type Schema, type SchemaInput, type SchemaOutput, type Validated } from './index.ts'

const ofZod = z.object({ count: z.string().transform(Number), note: z.string().default('') })
const ofValibot = v.object({
  count: v.pipe(v.string(), v.transform(Number)),
  note: v.optional(v.string(), ''),
})
const ofArktype = type({ count: 'string.integer.parse', note: 'string = ""' })

interface Input {
  count: string
  note?: string | undefined
}

interface Output {
  count: number
  note: string
}

describe('Schema', () => {
  it('is compatible with zod, valibot and arktype', () => {
    expectTypeOf(ofZod).toExtend<Schema>()
    expectTypeOf(ofValibot).toExtend<Schema>()
    expectTypeOf(ofArktype).toExtend<Schema>()
  })

  it('infers the input type', () => {
    expectTypeOf<SchemaInput<typeof ofZod>>().toEqualTypeOf<Input>()
    expectTypeOf<SchemaInput<typeof ofValibot>>().toEqualTypeOf<Input>()
    expectTypeOf<SchemaInput<typeof ofArktype>>().toEqualTypeOf<{ count: string; note?: string }>()
  })

  it('infers the output type', () => {
    expectTypeOf<SchemaOutput<typeof ofZod>>().toEqualTypeOf<Output>()
    expectTypeOf<SchemaOutput<typeof ofValibot>>().toEqualTypeOf<Output>()
    expectTypeOf<SchemaOutput<typeof ofArktype>>().toEqualTypeOf<Output>()
  })
})

describe('validate', () => {
  it('returns the output of the schema or its issues', () => {
    type Result = Validated<Output> | Promise<Validated<Output>>
    expectTypeOf(validate(ofZod, 1)).toEqualTypeOf<Result>()
    expectTypeOf(validate(ofValibot, 1)).toEqualTypeOf<Result>()
    expectTypeOf(validate(ofArktype, 1)).toEqualTypeOf<Result>()
  })

  it('rejects an object that is not a schema', () => {
    // @ts-expect-error -- a plain object validates nothing
    expectTypeOf(validate({ type: 'string' }, 1)).not.toBeAny()
  })
})
