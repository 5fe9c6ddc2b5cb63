import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../define/agent.ts'
import { agentEndpoint } from '../endpoint/endpoint.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mixedDocument } from './mixed-app.test.fixture.ts'
import type { Operation } from './operation.ts'

const whole = mixedDocument()

function operation(path: string, method = 'post', { paths } = whole): Operation {
  const found = paths[path]?.[method]
  if (found === undefined) throw new Error(`the document has no ${method} ${path}`)
  return found
}

function schemaNamed(name: string): JsonSchema {
  const schema = whole.components.schemas[name]
  if (schema === undefined) throw new Error(`the document has no schema ${name}`)
  return schema
}

function contentOf({ responses }: Operation): Record<string, unknown> {
  const success = responses['200']
  return success !== undefined && 'content' in success ? { ...success.content } : {}
}

describe('an operation', () => {
  it('has the route, the description and a tag', () => {
    expect(operation('/agent/summarize')).toMatchObject({
      operationId: 'callSummarize',
      summary: 'POST /agent/summarize',
      description: 'Summarizes a text',
      tags: ['agents'],
      requestBody: { required: true },
    })
    expect(operation('/api/status', 'get')).toMatchObject({ summary: 'GET /api/status', tags: ['routes'] })
  })

  it('describes a stream for generators and stream: true, and JSON otherwise', () => {
    const streams = ['application/x-ndjson', 'text/event-stream']
    expect(Object.keys(contentOf(operation('/agent/summarize')))).toStrictEqual(streams)
    expect(Object.keys(contentOf(operation('/agent/relay')))).toStrictEqual(streams)
    expect(Object.keys(contentOf(operation('/api/ticks', 'get')))).toStrictEqual(streams)
    expect(contentOf(operation('/agent/echo'))).toStrictEqual({ 'application/json': { schema: {} } })
  })

  it('has the status that its route declares', () => {
    expect(operation('/api/jobs').responses).toMatchObject({ 202: { content: { 'application/json': {} } } })
    expect(operation('/api/jobs', 'delete').responses).toMatchObject({ 204: { description: 'No content' } })
    expect(operation('/api/jobs', 'delete').responses['204']).not.toHaveProperty('content')
    expect(operation('/api/old', 'get').responses['308']).not.toHaveProperty('content')
    expect(operation('/api/old', 'get').responses).not.toHaveProperty('200')
  })

  it('does not require a body that the input schema does not require', () => {
    const input = z.object({ to: z.int().default(3) }).optional()
    const slow = z
      .string()
      .optional()
      .refine(async () => true)
    const agents = [
      createAgent('count', { input, handler: () => 1 }),
      createAgent('slow', { input: slow, handler: () => 1 }),
      createAgent('strict', { input: z.any().refine((value: string) => value.length > 0), handler: () => 1 }),
    ]
    const endpoints = agents.map((agent) => agentEndpoint(agent))
    expect(operation('/agent/count', 'post', mixedDocument({ endpoints })).requestBody?.required).toBe(false)
    expect(operation('/agent/slow', 'post', mixedDocument({ endpoints })).requestBody?.required).toBe(true)
    expect(operation('/agent/strict', 'post', mixedDocument({ endpoints })).requestBody?.required).toBe(true)
  })

  it('has the errors of a request with an Idempotency-Key, if the method accepts one', () => {
    const keyed = { 409: { $ref: '#/components/responses/Conflict' }, 422: {} }
    expect(operation('/agent/summarize').responses).toMatchObject(keyed)
    expect(operation('/api/jobs', 'delete').responses).toMatchObject(keyed)
    expect(operation('/api/status', 'get').responses).not.toHaveProperty('422')
  })

  it('accepts any JSON without an input schema', () => {
    expect(operation('/agent/echo').requestBody).toStrictEqual({
      required: false,
      content: { 'application/json': { schema: {} } },
    })
  })

  it('describes the chunks of a stream, of which the last can be an error', () => {
    const stream = contentOf(operation('/agent/summarize'))['application/x-ndjson']
    expect(stream).toMatchObject({
      schema: {
        type: 'array',
        items: {
          anyOf: [{ $ref: '#/components/schemas/callSummarizeOutput' }, { $ref: '#/components/schemas/Error' }],
        },
      },
    })
    expect(schemaNamed('callSummarizeOutput')).toMatchObject({ properties: { sentence: { type: 'string' } } })
    expect(contentOf(operation('/agent/relay'))['application/x-ndjson']).toMatchObject({ schema: { items: {} } })
  })

  it('has the path and the query as parameters', () => {
    expect(operation('/api/reports/{id}', 'get').parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, description: 'Its number', schema: { type: 'integer' } },
      { name: 'full', in: 'query', required: false, schema: { enum: ['true', 'false'] } },
      { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } },
    ])
  })

  it('shares a path with a route whose parameter has another name', () => {
    expect(operation('/api/reports/{id}', 'patch')).toMatchObject({
      summary: 'PATCH /api/reports/:report',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
        { $ref: '#/components/parameters/Idempotency-Key' },
      ],
    })
  })

  it('accepts any query if the schema cannot be read', () => {
    expect(operation('/api/search', 'get').parameters).toMatchObject([
      { name: 'query', in: 'query', required: false, schema: { type: 'object' } },
    ])
  })

  it('accepts a body of any type if the route reads it', () => {
    const { requestBody } = operation('/api/upload')
    expect(requestBody).toMatchObject({ required: false, content: { 'application/json': {}, '*/*': {} } })
  })

  it('accepts a merge patch', () => {
    const { requestBody } = operation('/api/reports/{id}', 'patch')
    expect(Object.keys(requestBody?.content ?? {})).toStrictEqual(['application/json', 'application/merge-patch+json'])
  })

  it('describes raw content with its media type', () => {
    expect(contentOf(operation('/api/logo', 'get'))).toStrictEqual({ 'image/png': {} })
    expect(contentOf(operation('/api/robots', 'get'))).toMatchObject({
      'text/plain; charset=utf-8': { schema: { type: 'string' } },
    })
    expect(operation('/api/reports/{id}', 'head').responses['200']).not.toHaveProperty('content')
  })

  it('describes a recursive schema by name', () => {
    expect(operation('/agent/tree').requestBody?.content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/callTreeInput' } },
    })
    expect(schemaNamed('callTreeInput')).toMatchObject({
      additionalProperties: false,
      properties: { children: { items: { $ref: '#/components/schemas/callTreeInput' } } },
    })
  })

  it('has a schema that accepts the same input as the agent', () => {
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schemaNamed('callBothInput'))
    expect(accepts({ a: 'x', b: 1 })).toBe(true)
    expect(accepts({ b: 1 })).toBe(true)
    expect(accepts({ b: 1, c: 1 })).toBe(false)
  })
})
