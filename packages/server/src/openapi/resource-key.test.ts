import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app/app.ts'
import { createResource } from '../define/resource.ts'
import { createRouter } from '../define/router.ts'
import { memoryStore } from '../resource/memory-store.ts'
import type { OpenApiDocument } from './document.ts'

describe('the key of a resource in the document', () => {
  it('has operations with path parameters, and a PUT that creates', async () => {
    const articles = createResource('articles', {
      schema: z.object({ slug: z.string().max(50), issue: z.int(), text: z.string() }),
      store: memoryStore(),
      access: 'public',
      assign: () => ({ ownerId: 'a' }),
      ifMatch: 'required',
      key: ['slug', 'issue', 'ownerId'],
    })
    const app = createApp({ router: createRouter().resource('v1', articles) })
    const document = (await (await app.fetch(new Request('http://a/api/v1/openapi.json'))).json()) as OpenApiDocument
    expect(await new Validator().validate({ ...document })).toStrictEqual({ valid: true })
    const operations = document.paths['/api/v1/articles/by-slug-issue-owner-id/{slug}/{issue}']
    expect(Object.values(operations ?? {}).map(({ operationId }) => operationId)).toEqual([
      'getArticleBySlugIssueOwnerId',
      'putArticleBySlugIssueOwnerId',
      'updateArticleBySlugIssueOwnerId',
      'deleteArticleBySlugIssueOwnerId',
    ])
    expect(operations?.['put']).toMatchObject({
      description: expect.stringContaining('with the given slug and issue') as string,
      parameters: [
        { name: 'slug', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'issue', in: 'path', required: true, schema: { type: 'integer' } },
        { $ref: '#/components/parameters/If-Match' },
        { $ref: '#/components/parameters/If-None-Match' },
        { $ref: '#/components/parameters/Idempotency-Key' },
      ],
      responses: { 200: {}, 201: { headers: { Location: {} } }, 412: {} },
    })
    expect(operations?.['put']?.responses).not.toHaveProperty('404')
    expect(document.components.schemas['ArticlePutInput']).toMatchObject({ required: ['text'] })
  })
})
