import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, close, publish, register, rejects, send, type Json } from './blog.ts'

let [ada, bob, eve] = ['', '', '']
before(async () => {
  ada = await register('ada')
  bob = await register('bob')
  eve = await register('eve')
  for (const at of [1, 2, 3]) await publish(ada, `Ada ${at}`, ['numbers', `n${at}`])
  for (const at of [1, 2]) await publish(bob, `Bob ${at}`, ['numbers', 'bridges'])
})
after(close)

/** Returns the slugs of a list and the total number. */
async function slugs(path: string, token?: string): Promise<[string[], number]> {
  const { articles, articlesCount } = await ask(`GET /api/articles${path}`, undefined, token)
  return [articles.map(({ slug }: Json) => slug), articlesCount]
}

const ALL = ['bob-2', 'bob-1', 'ada-3', 'ada-2', 'ada-1']

describe('the list of articles', () => {
  it('contains all articles, newest first, without their text', async () => {
    assert.deepEqual(await slugs(''), [ALL, 5])
    const { articles } = await ask('GET /api/articles')
    const members = ['author', 'createdAt', 'description', 'favorited', 'favoritesCount', 'slug', 'tagList', 'title']
    for (const article of articles) assert.deepEqual(Object.keys(article).toSorted(), [...members, 'updatedAt'])
    assert.deepEqual(articles[0].author, { username: 'bob', bio: null, image: null, following: false })
    assert.deepEqual(articles[2].tagList, ['n3', 'numbers'])
  })

  it('filters by tag, author and favorites, alone and together', async () => {
    await ask('POST /api/articles/ada-1/favorite', {}, bob)
    await ask('POST /api/articles/bob-2/favorite', {}, bob)
    await ask('POST /api/articles/bob-1/favorite', {}, ada)
    assert.deepEqual(await slugs('?tag=numbers'), [ALL, 5])
    assert.deepEqual(await slugs('?tag=n2'), [['ada-2'], 1])
    assert.deepEqual(await slugs('?tag=none'), [[], 0])
    assert.deepEqual(await slugs('?author=bob'), [['bob-2', 'bob-1'], 2])
    assert.deepEqual(await slugs('?author=none'), [[], 0])
    assert.deepEqual(await slugs('?favorited=bob'), [['bob-2', 'ada-1'], 2])
    assert.deepEqual(await slugs('?favorited=eve'), [[], 0])
    assert.deepEqual(await slugs('?favorited=bob&author=ada'), [['ada-1'], 1])
    assert.deepEqual(await slugs('?tag=bridges&author=ada'), [[], 0])
    assert.deepEqual(await slugs('?tag=numbers&author=ada&limit=1'), [['ada-3'], 3])
    const { articles } = await ask('GET /api/articles?favorited=bob', undefined, bob)
    assert.deepEqual(
      articles.map(({ favorited, favoritesCount }: Json) => [favorited, favoritesCount]),
      [
        [true, 1],
        [true, 1],
      ],
    )
  })

  it('has pages of any size, and the total on each', async () => {
    assert.deepEqual(await slugs('?limit=2'), [['bob-2', 'bob-1'], 5])
    assert.deepEqual(await slugs('?limit=2&offset=2'), [['ada-3', 'ada-2'], 5])
    assert.deepEqual(await slugs('?limit=2&offset=4'), [['ada-1'], 5])
    assert.deepEqual(await slugs('?limit=2&offset=6'), [[], 5])
    assert.deepEqual(await slugs('?offset=3'), [['ada-2', 'ada-1'], 5])
    for (const query of ['limit=0', 'limit=51', 'limit=x', 'offset=-1', 'offset=1.5'])
      assert.equal((await send(`GET /api/articles?${query}`))[0], 422, query)
  })
})

describe('the feed', () => {
  it('contains the articles of followed authors only', async () => {
    assert.deepEqual(await slugs('/feed', eve), [[], 0])
    await ask('POST /api/profiles/ada/follow', {}, eve)
    assert.deepEqual(await slugs('/feed', eve), [['ada-3', 'ada-2', 'ada-1'], 3])
    await ask('POST /api/profiles/bob/follow', {}, eve)
    assert.deepEqual(await slugs('/feed', eve), [ALL, 5])
    assert.deepEqual(await slugs('/feed?limit=2&offset=1', eve), [['bob-1', 'ada-3'], 5])
    const { articles } = await ask('GET /api/articles/feed', undefined, eve)
    assert.ok(articles.every(({ author }: Json) => author.following))
    assert.ok(articles.every((article: Json) => !('body' in article)))
    assert.deepEqual(await slugs('/feed', bob), [[], 0])
    await ask('DELETE /api/profiles/ada/follow', undefined, eve)
    assert.deepEqual(await slugs('/feed', eve), [['bob-2', 'bob-1'], 2])
    assert.ok(
      (await ask('GET /api/articles?author=ada', undefined, eve)).articles.every(
        ({ author }: Json) => !author.following,
      ),
    )
    await rejects(401, ['sign in first'], 'GET /api/articles/feed')
    assert.equal((await send('GET /api/articles/feed?limit=0', undefined, eve))[0], 422)
  })
})

describe('tags', () => {
  it('lists each tag once, the most used first', async () => {
    assert.deepEqual(await ask('GET /api/tags'), { tags: ['numbers', 'bridges', 'n1', 'n2', 'n3'] })
  })
})

describe('resources', () => {
  it('serve the same data with relations', async () => {
    const query = 'expand=author,tags,comments,favorited,favoritesCount'
    const [status, row] = await send(`GET /api/v1/articles/by-slug/ada-1?${query}`, undefined, bob)
    assert.equal(status, 200)
    assert.equal(row.author.username, 'ada')
    assert.deepEqual(
      row.tags.map(({ name }: Json) => name),
      ['n1', 'numbers'],
    )
    assert.deepEqual([row.comments, row.favorited, row.favoritesCount], [[], true, 1])
    const { data } = await ask('GET /api/v1/articles?limit=2&expand=favoritesCount')
    assert.deepEqual(
      data.map(({ favoritesCount }: Json) => favoritesCount),
      [1, 0],
    )
  })

  it('have the same rules', async () => {
    const { id } = await ask('GET /api/v1/articles/by-slug/ada-1')
    assert.equal((await send(`PATCH /api/v1/articles/${id}`, { title: 'X' }))[0], 401)
    assert.equal((await send(`PATCH /api/v1/articles/${id}`, { title: 'X' }, bob))[0], 404)
    assert.equal((await ask(`PATCH /api/v1/articles/${id}`, { title: 'X' }, ada)).title, 'X')
    assert.equal(
      (await send('POST /api/v1/articles', { title: 'X', slug: 'ada-2', description: 'd', body: 'b' }, ada))[0],
      422,
    )
    await rejects(
      403,
      ['only the author may tag an article'],
      'POST /api/v1/tags',
      { articleId: id, name: 'spam' },
      bob,
    )
    assert.equal((await send('POST /api/v1/tags', { articleId: 99, name: 'spam' }, bob))[0], 422)
    assert.equal((await send('POST /api/v1/tags', { articleId: id, name: 'n1' }, ada))[0], 422)
    assert.equal((await send('POST /api/v1/comments', { articleId: 99, body: 'Hi' }, bob))[0], 422)
    assert.equal((await ask('POST /api/v1/tags', { articleId: id, name: 'first' }, ada)).name, 'first')
  })

  it('turn a favorite on and off by its key', async () => {
    const { id } = await ask('GET /api/v1/articles/by-slug/ada-2')
    const { ownerId } = await ask('POST /api/v1/favorites', { articleId: id }, eve)
    const path = `/api/v1/favorites/by-article-id-owner-id/${id}/${ownerId}`
    assert.equal((await send(`PUT ${path}`, {}, eve))[0], 200)
    assert.equal((await send(`DELETE ${path}`, undefined, bob))[0], 404)
    assert.equal((await send(`DELETE ${path}`, undefined, eve))[0], 200)
    assert.equal((await send(`PUT ${path}`, {}, eve))[0], 201)
    assert.equal((await send(`PUT ${path}`, {}, bob))[0], 422)
  })
})
