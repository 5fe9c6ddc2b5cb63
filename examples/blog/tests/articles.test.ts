import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, close, ISO_TIME, publish, register, rejects, send, type Json } from './blog.ts'

let [ada, bob] = ['', '']
before(async () => {
  ada = await register('ada')
  bob = await register('bob')
})
after(close)

const TEA = { title: 'Green tea', description: 'How to brew', body: 'At 70 °C.' }

describe('articles', () => {
  it('publishes an article with exactly the members of the contract', async () => {
    const input = { article: { ...TEA, tagList: ['tea', 'green', 'tea'] } }
    const [status, { article }] = await send('POST /api/articles', input, ada)
    assert.equal(status, 201)
    const { createdAt, updatedAt, ...rest } = article
    assert.match(createdAt, ISO_TIME)
    assert.match(updatedAt, ISO_TIME)
    assert.deepEqual(rest, {
      ...TEA,
      slug: 'green-tea',
      tagList: ['green', 'tea'],
      favorited: false,
      favoritesCount: 0,
      author: { username: 'ada', bio: null, image: null, following: false },
    })
    assert.deepEqual(await ask('GET /api/articles/green-tea'), { article })
  })

  it('gives articles with the same title different slugs', async () => {
    const [one, two] = [await publish(ada, 'Twice, really!'), await publish(bob, 'Twice really')]
    assert.equal(one.slug, 'twice-really')
    assert.match(two.slug, /^twice-really-[\da-f]{8}$/)
    assert.equal((await ask(`GET /api/articles/${two.slug}`)).article.author.username, 'bob')
    assert.equal((await ask(`GET /api/articles/${one.slug}`)).article.author.username, 'ada')
    assert.equal((await publish(ada, 'Čaj 茶')).slug, 'čaj-茶')
    assert.equal((await ask(`GET /api/articles/${encodeURIComponent('čaj-茶')}`)).article.title, 'Čaj 茶')
    assert.equal((await publish(ada, '???')).slug, 'article')
    const same = await Promise.all([1, 2, 3].map((at) => publish(ada, `Parallel ${at}`)))
    assert.equal(new Set(same.map(({ slug }) => slug)).size, 3)
  })

  it('rejects guests and invalid articles, and then stores nothing', async () => {
    const count = (await ask('GET /api/articles')).articlesCount
    const post = (article: unknown, token?: string) => ['POST /api/articles', { article }, token] as const
    assert.equal((await send(...post(TEA)))[0], 401)
    await rejects(422, ['title is required', 'description is required', 'body is required'], ...post({}, ada))
    await rejects(422, ['title must have at least 1 character'], ...post({ ...TEA, title: ' ' }, ada))
    await rejects(422, ['title must have at most 200 characters'], ...post({ ...TEA, title: 'x'.repeat(201) }, ada))
    await rejects(422, ['tagList must be an array'], ...post({ ...TEA, tagList: 'tea' }, ada))
    await rejects(422, ['1 must have at least 1 character'], ...post({ ...TEA, tagList: ['tea', ''] }, ada))
    await rejects(422, ['article is required'], 'POST /api/articles', {}, ada)
    assert.equal((await ask('GET /api/articles')).articlesCount, count)
  })

  it('changes fields, and the slug with the title', async () => {
    const { slug, createdAt } = await publish(ada, 'White tea', ['tea'])
    const { article } = await ask(`PUT /api/articles/${slug}`, { article: { body: 'At 80 °C.' } }, ada)
    assert.deepEqual([article.slug, article.title, article.body], [slug, 'White tea', 'At 80 °C.'])
    assert.deepEqual(article.tagList, ['tea'])
    assert.equal(article.createdAt, createdAt)
    assert.ok(article.updatedAt > createdAt)
    const renamed = (await ask(`PUT /api/articles/${slug}`, { article: { title: 'Yellow tea' } }, ada)).article
    assert.deepEqual([renamed.slug, renamed.body], ['yellow-tea', 'At 80 °C.'])
    assert.equal((await send(`GET /api/articles/${slug}`))[0], 404)
    const taken = (await ask('PUT /api/articles/yellow-tea', { article: { title: 'Green tea' } }, ada)).article
    assert.match(taken.slug, /^green-tea-[\da-f]{8}$/)
    const kept = (await ask(`PUT /api/articles/${taken.slug}`, { article: { title: 'Green tea' } }, ada)).article
    assert.equal(kept.slug, taken.slug)
    await rejects(
      422,
      ['title must have at least 1 character'],
      `PUT /api/articles/${kept.slug}`,
      { article: { title: '' } },
      ada,
    )
  })

  it('lets only the author change or delete an article', async () => {
    const { slug } = await publish(ada, 'Mine')
    const change = { article: { body: 'Not yours' } }
    await rejects(401, ['sign in first'], `PUT /api/articles/${slug}`, change)
    await rejects(403, ['only the author may do this'], `PUT /api/articles/${slug}`, change, bob)
    await rejects(401, ['sign in first'], `DELETE /api/articles/${slug}`)
    await rejects(403, ['only the author may do this'], `DELETE /api/articles/${slug}`, undefined, bob)
    await rejects(404, ['not found'], 'PUT /api/articles/none', change, ada)
    await rejects(404, ['not found'], 'DELETE /api/articles/none', undefined, ada)
    await rejects(404, ['not found'], 'GET /api/articles/none')
    assert.equal((await ask(`GET /api/articles/${slug}`)).article.body, 'All of Mine')
    assert.deepEqual(await send(`DELETE /api/articles/${slug}`, undefined, ada), [204, null])
    assert.equal((await send(`GET /api/articles/${slug}`))[0], 404)
  })
})

describe('comments', () => {
  let slug = ''
  before(async () => {
    slug = (await publish(ada, 'Discussed')).slug
  })
  const list = async (): Promise<Json[]> => (await ask(`GET /api/articles/${slug}/comments`)).comments
  const say = async (body: string, token: string) =>
    (await ask(`POST /api/articles/${slug}/comments`, { comment: { body } }, token)).comment

  it('adds comments, and lists them newest first', async () => {
    assert.deepEqual(await list(), [])
    const { id, createdAt, updatedAt, ...rest } = await say('First!', bob)
    assert.ok(Number.isInteger(id))
    assert.match(createdAt, ISO_TIME)
    assert.match(updatedAt, ISO_TIME)
    const author = { username: 'bob', bio: null, image: null, following: false }
    assert.deepEqual(rest, { body: 'First!', author })
    await say('Second', ada)
    const all = await list()
    assert.deepEqual(
      all.map(({ body }) => body),
      ['Second', 'First!'],
    )
    assert.deepEqual(all[1], { id, createdAt, updatedAt, ...rest })
    await ask('POST /api/profiles/bob/follow', {}, ada)
    const seen = (await ask(`GET /api/articles/${slug}/comments`, undefined, ada)).comments
    assert.deepEqual(
      seen.map(({ author: { following } }: Json) => following),
      [false, true],
    )
  })

  it('rejects guests, empty comments and unknown articles', async () => {
    const path = `POST /api/articles/${slug}/comments`
    assert.equal((await send(path, { comment: { body: 'Hi' } }))[0], 401)
    await rejects(422, ['body is required'], path, { comment: {} }, ada)
    await rejects(422, ['body must have at least 1 character'], path, { comment: { body: '  ' } }, ada)
    await rejects(404, ['not found'], 'POST /api/articles/none/comments', { comment: { body: 'Hi' } }, ada)
    await rejects(404, ['not found'], 'GET /api/articles/none/comments')
    assert.equal((await list()).length, 2)
  })

  it('lets only the author delete a comment, below its own article', async () => {
    const { id } = await say('To be deleted', bob)
    const other = (await publish(ada, 'Another')).slug
    await rejects(401, ['sign in first'], `DELETE /api/articles/${slug}/comments/${id}`)
    await rejects(403, ['only the author may do this'], `DELETE /api/articles/${slug}/comments/${id}`, undefined, ada)
    await rejects(404, ['comment not found'], `DELETE /api/articles/${other}/comments/${id}`, undefined, bob)
    assert.equal((await send(`DELETE /api/articles/${slug}/comments/x`, undefined, bob))[0], 422)
    assert.equal((await list()).length, 3)
    assert.deepEqual(await send(`DELETE /api/articles/${slug}/comments/${id}`, undefined, bob), [204, null])
    assert.equal((await send(`DELETE /api/articles/${slug}/comments/${id}`, undefined, bob))[0], 404)
    assert.equal((await list()).length, 2)
  })

  it('deletes the comments, favorites and tags of an article with it', async () => {
    const { slug: gone } = await publish(ada, 'Short-lived', ['fleeting'])
    await ask(`POST /api/articles/${gone}/comments`, { comment: { body: 'Already?' } }, bob)
    await ask(`POST /api/articles/${gone}/favorite`, {}, bob)
    const { id } = await ask(`GET /api/v1/articles/by-slug/${gone}`)
    const left = (name: string) => ask(`GET /api/v1/${name}?articleId=${id}&count=true`)
    for (const name of ['comments', 'favorites', 'tags']) assert.equal((await left(name)).pagination.total, 1)
    await ask(`DELETE /api/articles/${gone}`, undefined, ada)
    for (const name of ['comments', 'favorites', 'tags']) assert.equal((await left(name)).pagination.total, 0)
    assert.ok(!(await ask('GET /api/tags')).tags.includes('fleeting'))
    assert.equal((await ask('GET /api/articles?favorited=bob')).articlesCount, 0)
    assert.equal((await list()).length, 2)
  })
})

describe('favorites', () => {
  it('counts each user once', async () => {
    const { slug } = await publish(ada, 'Popular')
    const shown = async (token?: string) => {
      const { article } = await ask(`GET /api/articles/${slug}`, undefined, token)
      return [article.favorited, article.favoritesCount]
    }
    assert.deepEqual(await shown(bob), [false, 0])
    for (let times = 0; times < 2; times++) {
      const { article } = await ask(`POST /api/articles/${slug}/favorite`, undefined, bob)
      assert.deepEqual([article.slug, article.favorited, article.favoritesCount], [slug, true, 1])
    }
    assert.deepEqual(await shown(bob), [true, 1])
    assert.deepEqual(await shown(ada), [false, 1])
    assert.deepEqual(await shown(), [false, 1])
    await ask(`POST /api/articles/${slug}/favorite`, {}, ada)
    assert.deepEqual(await shown(ada), [true, 2])
    for (let times = 0; times < 2; times++) {
      const { article } = await ask(`DELETE /api/articles/${slug}/favorite`, undefined, bob)
      assert.deepEqual([article.favorited, article.favoritesCount], [false, 1])
    }
    assert.deepEqual(await shown(ada), [true, 1])
    assert.deepEqual(await shown(), [false, 1])
  })

  it('survives concurrent clicks', async () => {
    const { slug } = await publish(ada, 'Clicked')
    const clicks = Array.from({ length: 5 }, () => send(`POST /api/articles/${slug}/favorite`, {}, bob))
    assert.deepEqual(
      (await Promise.all(clicks)).map(([status]) => status),
      [200, 200, 200, 200, 200],
    )
    assert.equal((await ask(`GET /api/articles/${slug}`)).article.favoritesCount, 1)
  })

  it('rejects guests and unknown articles', async () => {
    const { slug } = await publish(ada, 'Guarded')
    for (const method of ['POST', 'DELETE']) {
      await rejects(401, ['sign in first'], `${method} /api/articles/${slug}/favorite`)
      await rejects(404, ['not found'], `${method} /api/articles/none/favorite`, undefined, bob)
    }
    assert.equal((await ask(`GET /api/articles/${slug}`)).article.favoritesCount, 0)
  })
})
