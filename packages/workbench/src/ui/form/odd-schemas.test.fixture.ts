import type { JsonSchema } from './json-schema.ts'
import type { SchemaCase } from './schema-case.test.fixture.ts'

function odd(name: string, schema: object, bad?: readonly [text: string, pointer: string, issue: RegExp]): SchemaCase {
  const plain = JSON.parse(JSON.stringify(schema)) as JsonSchema
  return bad === undefined
    ? { name, schema: plain }
    : { name, schema: plain, bad: { text: bad[0], pointer: bad[1], message: bad[2] } }
}

const NAMES = ['a/b', '~', '', ' ', '__proto__', 'constructor', 'ключ', '🦊', 'a"b', 'a.b', '#', '%41', 'toString']

/** Schemas that libraries rarely or never generate. */
export const ODD_SCHEMAS: readonly SchemaCase[] = [
  odd('the empty schema', {}),
  odd('a member that accepts no value', { type: 'object', properties: { no: false, yes: true } }, [
    '{"no":1}',
    '/no',
    /not a known/,
  ]),
  odd(
    'unusual names',
    // `properties` is created from entries, so that `__proto__` is a member and not the prototype.
    {
      type: 'object',
      properties: Object.fromEntries(NAMES.map((name) => [name, { type: 'integer' }])),
      required: NAMES,
    },
    ['{"a/b":"x"}', '/a~1b', /integer/],
  ),
  odd('a map with the member __proto__', { type: 'object', additionalProperties: { type: 'string' } }, [
    '{"__proto__":1}',
    '/__proto__',
    /string/,
  ]),
  odd(
    'parts that can be merged',
    {
      allOf: [
        { $ref: '#/$defs/named' },
        { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] },
      ],
      $defs: { named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    },
    ['{"name":"a","age":-1}', '/age', /at least 0/],
  ),
  odd('parts that cannot be merged', { allOf: [{ type: 'string' }, { type: 'number' }] }),
  odd(
    'a reference with a description',
    {
      type: 'object',
      properties: { to: { $ref: '#/$defs/address', description: 'Where to' } },
      required: ['to'],
      $defs: {
        address: { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] },
      },
    },
    ['{"to":{"city":""}}', '/to/city', /at least 1/],
  ),
  odd('a dangling reference', { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }),
  odd('a reference to itself', { $ref: '#' }),
  odd('not', { type: 'object', properties: { a: { type: 'string', not: { const: 'root' } } } }, [
    '{"a":"root"}',
    '/a',
    /not be "root"/,
  ]),
  odd(
    'if, then, else',
    {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      required: ['kind'],
      if: { properties: { kind: { const: 'a' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- the name of the keyword
      then: { properties: { extra: { type: 'integer' } }, required: ['extra'] },
    },
    ['{"kind":"a","extra":"x"}', '/extra', /integer/],
  ),
  odd(
    'members by a pattern',
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      patternProperties: { '^x-': { type: 'number' } },
      additionalProperties: false,
    },
    ['{"x-a":"b"}', '/x-a', /number/],
  ),
  odd(
    'members that need others',
    {
      type: 'object',
      properties: { card: { type: 'string' }, code: { type: 'string' } },
      dependentRequired: { card: ['code'] },
    },
    ['{"card":"1"}', '/code', /required because/],
  ),
  odd(
    'a base and one of two',
    {
      type: 'object',
      properties: { id: { type: 'integer' }, mail: { type: 'string' }, phone: { type: 'string' } },
      required: ['id'],
      anyOf: [{ required: ['mail'] }, { required: ['phone'] }],
    },
    ['{"mail":"a"}', '/id', /required/],
  ),
  odd('exactly one', { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 10 }] }, ['12', '', /exactly one/]),
  odd(
    'choices with titles',
    {
      type: 'object',
      properties: {
        c: {
          oneOf: [
            { const: 'r', title: 'Red' },
            { const: 'g', title: 'Green' },
          ],
        },
      },
    },
    ['{"c":"b"}', '/c', /must be "r" or "g"/],
  ),
  odd('objects as choices', { enum: [{ a: 1 }, [1, 2], 'x', 1.5, { a: 2 }] }, ['{"a":3}', '', /one of/]),
  odd('a constant object', { type: 'object', properties: { c: { const: { deep: [1, null] } } } }, [
    '{"c":{}}',
    '/c',
    /deep/,
  ]),
  odd('no type, but properties', { properties: { a: { type: 'string' } } }, ['{"a":1}', '/a', /string/]),
  odd('items without a type', { items: { type: 'string' } }, ['[1]', '/0', /string/]),
  odd('all types', { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }),
  odd('a list of unique items', { type: 'array', items: { type: 'integer' }, uniqueItems: true }, [
    '[1,1]',
    '',
    /duplicate/,
  ]),
  odd('an invalid pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(?<' } } }),
  odd('big limits', { type: 'object', properties: { n: { type: 'integer', maximum: 1e30 } } }, [
    '{"n":1e31}',
    '/n',
    /1e\+30/,
  ]),
]
