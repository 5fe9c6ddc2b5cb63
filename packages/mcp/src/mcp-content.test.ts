import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcpContent } from './mcp-content.ts'

const { validate, jsonSchema } = mcpContent['~standard']
const TEXT = { type: 'text', text: 'one' }
const RESOURCE = { uri: 'result://notes', mimeType: 'text/plain' }
const wire = z.fromJSONSchema(jsonSchema.output())

describe('mcpContent', () => {
  it.each([
    ['no block', []],
    ['text', [TEXT]],
    ['an image and audio', ['image', 'audio'].map((type) => ({ type, data: 'QQ==', mimeType: 'image/png' }))],
    ['a resource with text', [{ type: 'resource', resource: { ...RESOURCE, text: '' } }]],
    ['a binary resource', [{ type: 'resource', resource: { ...RESOURCE, blob: 'QUJD' } }]],
    ['100 blocks', Array.from({ length: 100 }, () => TEXT)],
  ])('accepts %s', (_case, content) => {
    expect(validate({ content })).toEqual({ value: { content } })
    expect(wire.safeParse({ content }).success).toBe(true)
  })

  it('drops unknown members', () => {
    const resource = { ...RESOURCE, text: 'Notes' }
    const content = [
      { ...TEXT, annotations: 7 },
      { type: 'resource', resource: { ...resource, blob: '?' } },
    ]
    expect(validate({ content })).toEqual({ value: { content: [TEXT, { type: 'resource', resource }] } })
  })

  it.each([
    ['a value that is not an object', 'one', ['content']],
    ['a missing list', {}, ['content']],
    ['101 blocks', { content: Array.from({ length: 101 }, () => TEXT) }, ['content']],
    ['an unknown type', { content: [TEXT, { type: 'video' }] }, ['content', 1]],
    ['a block that is null', { content: [null] }, ['content', 0]],
    ['text that is a number', { content: [{ type: 'text', text: 7 }] }, ['content', 0]],
    ['an image without a type', { content: [{ type: 'image', data: 'QQ==' }] }, ['content', 0]],
    ['data that is not base64', { content: [{ type: 'audio', data: 'a b=', mimeType: 'audio/wav' }] }, ['content', 0]],
    ['an empty resource', { content: [{ type: 'resource', resource: RESOURCE }] }, ['content', 0]],
  ])('rejects %s', (_case, value, path) => {
    expect(validate(value)).toMatchObject({ issues: [{ path }] })
    expect(wire.safeParse(value).success).toBe(false)
  })
})
