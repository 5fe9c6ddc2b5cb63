import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { relate } from '../define/relate.ts'
import { belongsTo, countOf, existsIn, hasMany } from '../define/relation.ts'
import { createResource } from '../define/resource.ts'
import { createRouter, type Router } from '../define/router.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { resourceEndpoints } from '../resource/resource-endpoints.ts'
import { toDocument } from './document.ts'

const articles = createResource('articles', {
  schema: z.object({ title: z.string().max(20), pinnedId: z.int().nullable() }),
  store: memoryStore(),
  access: 'public',
  computed: { words: { output: z.array(z.string()), load: (rows) => rows.map(({ title }) => title.split(' ')) } },
})

const comments = createResource('comments', {
  schema: z.object({ articleId: z.int(), text: z.string().max(20) }),
  store: memoryStore(),
  access: 'public',
})

const articlesWith = relate(articles, {
  pinned: belongsTo(comments, 'pinnedId'),
  comments: hasMany(comments, 'articleId', { limit: 7 }),
  commentCount: countOf(comments, 'articleId'),
  allComments: countOf(comments, 'articleId', { of: 'everyone', exact: true }),
  commented: existsIn(comments, 'articleId', ({ user }) => ({ ownerId: user.id })),
})
const commentsWith = relate(comments, { article: belongsTo(articles, 'articleId') })

function documentOf({ entries }: Router) {
  const endpoints = entries.filter((entry) => entry.kind === 'resource').flatMap((entry) => resourceEndpoints(entry))
  return toDocument({ major: 1, endpoints })
}

const both = createRouter().resource('v1', articlesWith).resource('v1', commentsWith)
const { paths, components } = documentOf(both)

describe('expand in the document', () => {
  it('is a parameter of lists and rows, and of nothing else', () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]) => ({ route: `${method} ${path}`, parameters })),
    )
    const expandOf = (parameters: readonly object[]) =>
      parameters.find((one) => 'name' in one && one.name === 'expand') as { schema: object } | undefined
    const having = operations.filter(({ parameters }) => expandOf(parameters) !== undefined)
    expect(having.map(({ route }) => route)).toEqual([
      'get /api/v1/articles',
      'get /api/v1/articles/{id}',
      'get /api/v1/comments',
      'get /api/v1/comments/{id}',
    ])
    const names = ['words', 'pinned', 'comments', 'commentCount', 'allComments', 'commented']
    for (const at of [0, 1])
      expect(expandOf(having[at]?.parameters ?? [])).toMatchObject({
        style: 'form',
        explode: false,
        schema: { type: 'array', maxItems: 5, uniqueItems: true, items: { enum: names } },
      })
  })

  it('adds optional members to the items of lists and rows, which refer to the items of related resources', () => {
    const { schemas } = components
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Article', 'ArticleExpanded', 'Comment', 'CommentExpanded']),
    )
    expect(Object.keys(schemas)).not.toContain('CommentsItem')
    const expanded = schemas['ArticleExpanded'] as { required: string[]; properties: Record<string, unknown> }
    const comment = { $ref: '#/components/schemas/Comment' }
    expect(expanded.required).toEqual(['id', 'title', 'pinnedId', 'createdAt', 'updatedAt'])
    expect(expanded.properties).toMatchObject({
      title: { type: 'string' },
      words: { type: 'array', items: { type: 'string' } },
      pinned: { anyOf: [comment, { type: 'null' }] },
      comments: { type: 'array', maxItems: 7, items: comment },
      commentCount: { type: ['integer', 'null'], minimum: 0, maximum: 1_000 },
      allComments: { type: 'integer', minimum: 0 },
      commented: { type: 'boolean' },
    })
    expect(schemas['Article']).not.toHaveProperty('properties.comments')
    expect(schemas['ArticlePage']).toHaveProperty('properties.data.items', {
      $ref: '#/components/schemas/ArticleExpanded',
    })
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/ArticleExpanded' } } }
    expect(paths['/api/v1/articles/{id}']?.['get']?.responses['200']).toMatchObject({ content })
  })

  it('is valid, also if a related resource is not mounted', async () => {
    for (const router of [both, createRouter().resource('v1', articlesWith), createRouter().resource('v1', comments)])
      expect(await new Validator().validate({ ...documentOf(router) })).toStrictEqual({ valid: true })
  })
})
