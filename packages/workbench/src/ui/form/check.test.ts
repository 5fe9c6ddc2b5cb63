import { toPointer } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { loadCheck } from './check.ts'
import { parseJsonTree } from './json-text.ts'
import { sampleOf } from './sample.ts'
import { SCHEMAS } from './schemas.test.fixture.ts'
import { shapeOf } from './shape.ts'

describe('loadCheck', () => {
  it('is tested with at least 60 schemas', () => {
    expect(SCHEMAS.length).toBeGreaterThanOrEqual(60)
    expect(new Set(SCHEMAS.map(({ name }) => name)).size).toBe(SCHEMAS.length)
  })

  it.each(SCHEMAS.flatMap((each) => (each.bad === undefined ? [] : [{ ...each, ...each.bad }])))(
    'marks the invalid field: $name',
    async ({ schema, text, pointer, message }) => {
      const check = await loadCheck(schema)
      const issues = check(parseJsonTree(text))
      expect(issues).toContainEqual({ pointer, message: expect.stringMatching(message) as string })
    },
  )

  it.each(SCHEMAS)('returns readable messages: $name', async ({ schema, bad }) => {
    const check = await loadCheck(schema)
    for (const text of [bad?.text ?? 'null', '[]', '{}', '"x"', '{"a":{}}'])
      for (const { message } of check(parseJsonTree(text))) expect(message).toMatch(/^(must|is|fits|does)\b/)
  })

  it('finds fields with unusual names', async () => {
    const odd = SCHEMAS.find(({ name }) => name === 'unusual names')
    const names = Object.keys(odd?.schema['properties'] ?? {})
    const text = `{${names.map((name) => `${JSON.stringify(name)}:"x"`).join(',')}}`
    const issues = (await loadCheck(odd?.schema ?? {}))(parseJsonTree(text))
    expect(issues.map(({ pointer }) => pointer)).toEqual(names.map((name) => toPointer([name])))
    expect(names).toContain('__proto__')
  })

  it('reports only the issues of the intended branch', async () => {
    const union = SCHEMAS.find(({ name }) => name === 'a discriminated union')
    const check = await loadCheck(union?.schema ?? {})
    expect(check(parseJsonTree('{"shape":{"kind":"circle","r":-1}}'))).toEqual([
      { pointer: '/shape/r', message: 'must be at least 0' },
    ])
  })
})

describe('sampleOf', () => {
  // Values for a pattern, a negation or an impossible schema cannot be generated.
  const makeable = SCHEMAS.filter(
    ({ schema }) => !/"(pattern|not|if|allOf|oneOf)":|"\$ref":"#"\}$/.test(JSON.stringify(schema)),
  )

  it.each(makeable)('creates valid inputs: $name', async ({ schema }) => {
    const check = await loadCheck(schema)
    for (const mode of ['minimal', 'full'] as const) {
      const made = sampleOf(shapeOf(schema, schema), mode)
      expect(made === undefined ? 'nothing' : check(made)).toEqual([])
    }
  })
})
