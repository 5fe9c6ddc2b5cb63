import { describe, expect, it } from 'vitest'
import { bestBranch } from './fit.ts'
import { parseJsonTree } from './json-text.ts'
import { shapeOf, type Shape } from './shape.ts'
import { SCHEMAS } from './schemas.test.fixture.ts'

describe('shapeOf', () => {
  it.each(SCHEMAS)('returns the same shape for the same schema: $name', ({ schema }) => {
    expect(shapeOf(schema, schema)).toBe(shapeOf(schema, schema))
  })

  it('follows references with sibling keywords', () => {
    const shape = member('a reference with a description', 'to')
    expect(shape.kind).toBe('object')
    expect(shape.description).toBe('Where to')
  })

  it('merges parts, and falls back to JSON for those that cannot be merged', () => {
    const both = of('parts that can be merged')
    expect(both.kind === 'object' && both.properties.map(({ name }) => name)).toEqual(['name', 'age'])
    expect(of('parts that cannot be merged').kind).toBe('any')
    expect(of('a reference to itself').kind).toBe('any')
    expect(member('a dangling reference', 'a').kind).toBe('any')
  })

  it('converts a map with known keys to an object', () => {
    const map = of('a map with known keys')
    expect(map.kind === 'object' && map.properties.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['x', true],
      ['y', true],
    ])
    expect(map.kind === 'object' && map.rest).toBe('closed')
  })

  it('returns a property for every name, including __proto__', () => {
    const names = of('unusual names')
    const found = names.kind === 'object' ? names.properties : []
    expect(found.find(({ name }) => name === '__proto__')?.shape().kind).toBe('number')
    expect(found.find(({ name }) => name === 'constructor')?.shape().kind).toBe('number')
  })

  it('removes null from a union', () => {
    const shape = member('a union that may be null', 'v')
    const inner = shape.kind === 'nullable' ? shape.inner() : shape
    expect(inner.kind === 'union' && inner.branches.map(({ title }) => title)).toEqual(['string', 'integer'])
  })

  it.each([
    ['a discriminated union', 'shape', ['circle', 'box', 'none'], 'kind'],
    ['choices with titles', 'c', ['Red', 'Green'], null],
    ['text or list', 'v', ['string', 'array of string'], null],
    ['text or number', 'v', ['string', 'number'], null],
  ])('returns titles for the branches: %s', (schema, name, titles, discriminator) => {
    const shape = member(schema, name)
    expect(shape.kind === 'union' && shape.branches.map(({ title }) => title)).toEqual(titles)
    expect(shape.kind === 'union' && shape.discriminator).toBe(discriminator)
  })
})

describe('bestBranch', () => {
  it.each([
    ['{"kind":"box"}', 1],
    ['{"kind":"circle","w":1,"h":2}', 0],
    ['{"w":1,"h":2}', 1],
    ['{"kind":"none","r":"x"}', 2],
  ])('returns the best branch for %s', (text, branch) => {
    const union = member('a discriminated union', 'shape')
    expect(union.kind === 'union' && bestBranch(union, parseJsonTree(text))).toBe(branch)
  })
})

function of(name: string): Shape {
  const schema = SCHEMAS.find((each) => each.name === name)?.schema ?? {}
  return shapeOf(schema, schema)
}

function member(schema: string, name: string): Shape {
  const shape = of(schema)
  const property = shape.kind === 'object' ? shape.properties.find((each) => each.name === name) : undefined
  return property?.shape() ?? shape
}
