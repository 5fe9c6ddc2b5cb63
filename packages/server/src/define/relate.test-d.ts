import type { Page } from '@sdk/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import type { Context } from '../context/context.ts'
import { articles } from './relate-articles.test.fixture.ts'
import { comments } from './relate-comments.test.fixture.ts'
import { belongsTo, countOf, existsIn, hasMany } from './relation.ts'
import { relate } from './relate.ts'
import { createRouter, type RoutesOf } from './router.ts'

const articlesWith = relate(articles, {
  comments: hasMany(comments, 'articleId', { sort: '-createdAt' }),
  pinned: belongsTo(comments, 'pinnedId'),
  commentCount: countOf(comments, 'articleId'),
  allComments: countOf(comments, 'articleId', { of: 'everyone', exact: true }),
  commented: existsIn(comments, 'articleId', ({ user }) => ({ ownerId: user.id })),
})
const commentsWith = relate(comments, { article: belongsTo(articles, 'articleId') })

const _router = createRouter().resource('v1', articlesWith).resource('v1', commentsWith)
type Known = RoutesOf<typeof _router>

interface Article {
  id: number
  title: string
  pinnedId: number | null
  createdAt: string
  updatedAt: string
}

interface Comment {
  id: number
  articleId: number
  text: string
  createdAt: string
  updatedAt: string
}

describe('relate', () => {
  it('types the values of two resources in two files that relate to each other', () => {
    type Related = Known['GET /api/v1/articles']['~io']['related']
    expectTypeOf<Related['comments']>().toEqualTypeOf<Comment[]>()
    expectTypeOf<Related['pinned']>().toEqualTypeOf<Comment | null>()
    expectTypeOf<Related['commentCount']>().toEqualTypeOf<number | null>()
    expectTypeOf<Related['allComments']>().toEqualTypeOf<number>()
    expectTypeOf<Related['commented']>().toEqualTypeOf<boolean>()
    expectTypeOf<Related['length']>().toEqualTypeOf<number>()
    expectTypeOf<Related['seenAt']>().toEqualTypeOf<string>()
    expectTypeOf<Known['GET /api/v1/comments/:id']['~io']['related']['article']>().toEqualTypeOf<Article | null>()
  })

  it('keeps the items and the input of the resource', () => {
    expectTypeOf<Known['GET /api/v1/articles']['~io']['output']>().toEqualTypeOf<Page<Article>>()
    expectTypeOf<Known['POST /api/v1/articles']['~io']['output']>().toEqualTypeOf<Article>()
    expectTypeOf<Known['POST /api/v1/comments']['~io']['input']>().toEqualTypeOf<{ articleId: number; text: string }>()
  })

  it('accepts only fields that contain ids, and orders of the list', () => {
    expectTypeOf(hasMany).parameter(0).toBeObject()
    // @ts-expect-error -- a text
    hasMany(comments, 'text')
    // @ts-expect-error -- no such field
    countOf(comments, 'nope')
    // @ts-expect-error -- the list cannot be sorted by it
    hasMany(comments, 'articleId', { sort: 'text' })
    // @ts-expect-error -- articles have no such field
    relate(articles, { comment: belongsTo(comments, 'nope') })
  })

  it('types the rows of ctx.rows by what they expand', () => {
    const read = async (ctx: Context): Promise<void> => {
      const rows = ctx.rows(articlesWith)
      expectTypeOf(await rows.list()).toEqualTypeOf<Page<Article>>()
      const { data } = await rows.list({ limit: 5, expand: ['comments', 'length'] })
      expectTypeOf(data[0]?.comments).toEqualTypeOf<Comment[] | undefined>()
      // @ts-expect-error -- not expanded
      expectTypeOf(data[0]?.pinned).toBeAny()
      const one = await rows.get(1, { expand: ['pinned'] })
      expectTypeOf(one.pinned).toEqualTypeOf<Comment | null>()
      expectTypeOf(one.title).toEqualTypeOf<string>()
      expectTypeOf(await ctx.rows(comments).get(1)).toEqualTypeOf<Comment>()
      // @ts-expect-error -- no such relation
      await rows.get(1, { expand: ['nope'] })
      // @ts-expect-error -- without relations
      await ctx.rows(comments).list({ expand: ['article'] })
      // A row with its expanded values can be changed under its own state.
      await rows.update(1, { title: 'x' }, { ifMatch: one })
    }
    expectTypeOf(read).toBeFunction()
  })
})
