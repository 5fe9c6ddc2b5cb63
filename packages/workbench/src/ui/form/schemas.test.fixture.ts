import { z } from 'zod'
import type { JsonSchema } from './json-schema.ts'
import { ODD_SCHEMAS } from './odd-schemas.test.fixture.ts'
import type { SchemaCase } from './schema-case.test.fixture.ts'

function from(
  name: string,
  schema: z.ZodType,
  bad?: readonly [text: string, pointer: string, message: RegExp],
): SchemaCase {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return bad === undefined
    ? { name, schema: json }
    : { name, schema: json, bad: { text: bad[0], pointer: bad[1], message: bad[2] } }
}

interface Tree {
  name: string
  kids: Tree[]
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string().min(1),
  get kids() {
    return z.array(tree)
  },
})
const list = z.object({
  value: z.number(),
  get next() {
    return list.nullable()
  },
})
const person = z.object({
  name: z.string(),
  get pets() {
    return z.array(pet)
  },
})
const pet: z.ZodType = z.object({
  kind: z.enum(['cat', 'dog']),
  get owner() {
    return person.optional()
  },
})
const expression: z.ZodType = z.lazy(() =>
  z.union([z.number(), z.object({ op: z.enum(['+', '-']), left: expression, right: expression })]),
)

const SCALARS: readonly SchemaCase[] = [
  from('a string', z.object({ text: z.string().min(1) }), ['{"text":""}', '/text', /at least 1 character$/]),
  from('a long text', z.object({ text: z.string().max(5000) }), ['{"text":1}', '/text', /a string/]),
  from('a short text', z.object({ text: z.string().max(3) }), ['{"text":"long"}', '/text', /at most 3 characters/]),
  from('an email', z.object({ email: z.email() }), ['{"email":"x"}', '/email', /ada@example\.com/]),
  from('a url', z.object({ url: z.url() }), ['{"url":"no"}', '/url', /https:/]),
  from('a uuid', z.object({ id: z.uuid() }), ['{"id":"7"}', '/id', /UUID/]),
  from('a date', z.object({ day: z.iso.date() }), ['{"day":"yesterday"}', '/day', /2026-01-31/]),
  from('a date and time', z.object({ at: z.iso.datetime({ offset: true }) }), ['{"at":"now"}', '/at', /T12:00:00Z/]),
  from('a pattern', z.object({ slug: z.string().regex(/^[a-z]+$/) }), ['{"slug":"A"}', '/slug', /lowercase letters/]),
  from('a number with limits', z.object({ n: z.number().min(1).max(5) }), ['{"n":9}', '/n', /at most 5/]),
  from('a number between', z.object({ n: z.number().gt(0).lt(1) }), ['{"n":1}', '/n', /less than 1/]),
  from('an integer', z.object({ n: z.int() }), ['{"n":1.5}', '/n', /an integer/]),
  from('steps', z.object({ n: z.number().multipleOf(5).min(3) }), ['{"n":7}', '/n', /multiple of 5/]),
  from('a boolean', z.object({ on: z.boolean() }), ['{"on":"yes"}', '/on', /a boolean/]),
  from('few choices', z.object({ size: z.enum(['s', 'm', 'l']) }), ['{"size":"xl"}', '/size', /one of "s", "m", "l"/]),
  from('many choices', z.object({ day: z.enum(['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su', 'feast', 'fast', 'any']) }), [
    '{"day":"x"}',
    '/day',
    /2 more/,
  ]),
  from('choices of all types', z.object({ one: z.literal(['a', 1, true, null]) }), ['{"one":2}', '/one', /one of/]),
  from('a constant', z.object({ kind: z.literal('x') }), ['{"kind":"y"}', '/kind', /must be "x"/]),
  from('nullable', z.object({ text: z.string().nullable() }), ['{"text":1}', '/text', /a string or null/]),
  from('nullable object', z.object({ a: z.object({ b: z.int() }).nullable() }), ['{"a":{"b":"x"}}', '/a/b', /integer/]),
  from('optional and nullable', z.object({ a: z.string().nullish(), b: z.number().optional() }), [
    '{"b":"x"}',
    '/b',
    /number/,
  ]),
  from('a default', z.object({ n: z.number().default(3), on: z.boolean().default(true) }), [
    '{"n":null}',
    '/n',
    /number/,
  ]),
  from(
    'a title and a description',
    z.object({ q: z.string().meta({ title: 'Question', description: 'What to ask', examples: ['Why?'] }) }),
  ),
  from('only a string', z.string().min(2), ['"a"', '', /at least 2/]),
  from('only a number', z.number(), ['"a"', '', /number/]),
]

const COMPOUNDS: readonly SchemaCase[] = [
  from('nested', z.object({ a: z.object({ b: z.object({ c: z.string() }) }) }), [
    '{"a":{"b":{}}}',
    '/a/b/c',
    /required/,
  ]),
  from('deep', deep(12), [`${'{"in":'.repeat(12)}1${'}'.repeat(12)}`, '/in'.repeat(12), /string/]),
  from('strict', z.strictObject({ a: z.string() }), ['{"a":"","b":1}', '/b', /not a known field/]),
  from('loose', z.looseObject({ a: z.string() }), ['{"b":1}', '/a', /required/]),
  from('further members of a type', z.object({ a: z.string() }).catchall(z.number()), [
    '{"a":"","b":"x"}',
    '/b',
    /number/,
  ]),
  from('a list', z.object({ tags: z.array(z.string()).min(1).max(3) }), ['{"tags":[]}', '/tags', /at least 1 item$/]),
  from('a list of objects', z.array(z.object({ id: z.int() })), ['[{"id":1},{"id":"x"}]', '/1/id', /integer/]),
  from('lists of lists', z.array(z.array(z.number())), ['[[1],["x"]]', '/1/0', /number/]),
  from('a tuple', z.tuple([z.string(), z.number()]), ['["a","b"]', '/1', /number/]),
  from('a tuple and more', z.tuple([z.string()]).rest(z.boolean()), ['["a",true,1]', '/2', /a boolean/]),
  from('a map', z.record(z.string(), z.number()), ['{"a":"x"}', '/a', /number/]),
  from('a map of objects', z.record(z.string().min(2), z.object({ n: z.int() })), [
    '{"ab":{"n":"x"}}',
    '/ab/n',
    /integer/,
  ]),
  from('a map with known keys', z.record(z.enum(['x', 'y']), z.number()), ['{"x":1}', '/y', /required/]),
  from('text or number', z.object({ v: z.union([z.string(), z.number()]) }), [
    '{"v":true}',
    '/v',
    /a string or a number/,
  ]),
  from('text or list', z.object({ v: z.union([z.string().min(2), z.array(z.string())]) }), [
    '{"v":"a"}',
    '/v',
    /at least 2/,
  ]),
  from('objects of two kinds', z.union([z.object({ a: z.string(), b: z.string() }), z.object({ c: z.int() })]), [
    '{"c":"x"}',
    '/c',
    /integer/,
  ]),
  from(
    'a discriminated union',
    z.object({
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), r: z.number().min(0) }),
        z.object({ kind: z.literal('box'), w: z.number(), h: z.number() }),
        z.object({ kind: z.literal('none') }),
      ]),
    }),
    ['{"shape":{"kind":"box","w":1,"h":"x"}}', '/shape/h', /number/],
  ),
  from('a union that may be null', z.object({ v: z.union([z.string(), z.int()]).nullable() }), [
    '{"v":[]}',
    '/v',
    /string/,
  ]),
  from('both', z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })), [
    '{"a":"","b":"x"}',
    '/b',
    /integer/,
  ]),
  from('a tree', tree, ['{"name":"a","kids":[{"name":"","kids":[]}]}', '/kids/0/name', /at least 1/]),
  from('a linked list', list, ['{"value":1,"next":{"value":"x","next":null}}', '/next/value', /number/]),
  from('mutual recursion', person, ['{"name":"a","pets":[{"kind":"cow"}]}', '/pets/0/kind', /one of/]),
  from('an expression', z.object({ e: expression }), ['{"e":{"op":"*","left":1,"right":2}}', '/e/op', /one of/]),
  from('anything', z.object({ any: z.unknown() })),
  from('types that JSON cannot represent', z.object({ at: z.date(), big: z.bigint() })),
]

function deep(levels: number): z.ZodType {
  return levels === 0 ? z.string() : z.object({ in: deep(levels - 1) })
}

/** Schemas of all kinds that the form must edit losslessly. */
export const SCHEMAS: readonly SchemaCase[] = [...SCALARS, ...COMPOUNDS, ...ODD_SCHEMAS]
