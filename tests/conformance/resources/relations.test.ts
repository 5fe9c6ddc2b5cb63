import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../../chaos/mode.ts'
import { expectFailure } from '../http/expect-failure.ts'
import { addRelatedResources, LISTED_IDS } from './relations.ts'
import { bodyOf, pageOf, type Row, startService } from './service.ts'
import { distinctStores } from './stores.ts'

const ARTICLES = '/api/v1/articles'
const OWNERS = ['ada', 'bob', 'eve']
/** The users, each with another rule: own rows, a list of owners, an empty list, a list of ids, all rows, none. */
const USERS = [...OWNERS, 'pair', 'void', 'some', 'root', 'mute', undefined]
const NAMES = ['note', 'notes', 'noteCount', 'allNotes', 'noted', 'post', 'posts', 'postCount', 'posted']

describe.each(distinctStores)('relations on $store', (kind) => {
  const service = startService(kind, { routes: addRelatedResources })
  const owners = { notes: new Map<number, string>(), posts: new Map<number, string>() }
  let articles: readonly Row[] = []
  beforeAll(async () => {
    LISTED_IDS.length = 0
    const random = createRandom(7)
    const made: Row[] = []
    for (let at = 0; at < 12; at += 1) {
      const { item } = await service.make(
        { title: `article ${at}`, parentId: at % 4 === 3 ? null : random(20) + 1 },
        { path: ARTICLES },
      )
      made.push(item)
    }
    for (const path of ['notes', 'posts'] as const) {
      for (let at = 0; at < 40; at += 1) {
        const as = OWNERS[random(3)] as string
        // The ids of articles differ between stores, and some articles have no notes, others many.
        const parentId = at % 9 === 0 ? 777_777 : (made[random(random(12) + 1)]?.id ?? null)
        const { item } = await service.make({ title: `t${random(9)}`, parentId }, { path: `/api/v1/${path}`, as })
        owners[path].set(item.id, as)
        if (path === 'notes' && random(3) === 0) LISTED_IDS.push(item.id)
      }
    }
    articles = made
  })

  /** Reads the values of all relations with separate requests. */
  async function readApart(path: 'notes' | 'posts', article: Row, as: string | undefined): Promise<unknown[]> {
    const user = as === undefined ? {} : { as }
    const parentId = article['parentId'] as number | null
    const one = parentId === null ? null : await service.call(`GET /api/v1/${path}/${parentId}`, user)
    const many = await service.call(`GET /api/v1/${path}?parentId=${article.id}&limit=100&sort=-title`, user)
    const rows = many.status === 200 ? pageOf(many).data : []
    const own = rows.filter(({ id }) => owners[path].get(id) === as)
    const total = many.status === 200 ? rows.length : null
    const { data } =
      path === 'posts' ? pageOf(await service.call(`GET /api/v1/posts?parentId=${article.id}`, user)) : { data: rows }
    return [one?.status === 200 ? bodyOf(one) : null, path === 'notes' ? data.slice(0, 3) : data, total, own.length > 0]
  }

  it('shows the same rows as separate requests, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...USERS),
        fc.subarray(NAMES, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...articles),
        async (as, names, article) => {
          const user = as === undefined ? {} : { as }
          const answer = await service.call(`GET ${ARTICLES}/${article.id}?expand=${names.join(',')}`, user)
          expect([answer.status, answer.headers['etag']]).toEqual([200, undefined])
          const [note, notes, noteCount, noted] = await readApart('notes', article, as)
          const [post, posts, postCount, posted] = await readApart('posts', article, as)
          const root = await service.call(`GET /api/v1/notes?parentId=${article.id}&limit=100`, { as: 'root' })
          const allNotes = pageOf(root).data.length
          const all = { note, notes, noteCount, allNotes, noted, post, posts, postCount, posted }
          const wanted = Object.entries(all).filter(([name]) => names.includes(name))
          expect(bodyOf(answer)).toEqual({ ...article, ...Object.fromEntries(wanted) })
        },
      ),
      { numRuns: choose(200, 15) },
    )
  })

  it.each(USERS)('has the same values in lists as in rows, for %s', async (as) => {
    for (const names of [NAMES.slice(0, 5), NAMES.slice(4)]) {
      const user = as === undefined ? {} : { as }
      const expand = `expand=${names.join(',')}`
      const seen: Row[] = []
      let cursor: string | null = null
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`
        const answer = await service.call(`GET ${ARTICLES}?limit=5&sort=-title&${expand}${query}`, user)
        expect([answer.status, answer.headers['etag']]).toEqual([200, undefined])
        const page = pageOf(answer)
        const links = page.pagination.hasMore ? (answer.headers['link'] ?? '') : names.join('%2C')
        expect(links).toContain(names.join('%2C'))
        seen.push(...page.data)
        cursor = page.pagination.nextCursor
      } while (cursor !== null)
      expect(seen.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(articles.map(({ id }) => id))
      for (const row of seen)
        expect(bodyOf(await service.call(`GET ${ARTICLES}/${row.id}?${expand}`, user))).toEqual(row)
    }
  })

  it('never shows a field that the related resource does not show', async () => {
    const { body } = await service.call(`GET ${ARTICLES}?expand=note,notes,post,posts&limit=100`, { as: 'root' })
    expect(body).not.toContain('ownerId')
    expect(body).not.toContain('version')
  })

  it.each(['nope', 'note,nope', 'note,note', 'note.parent', 'title', '__proto__', NAMES.slice(0, 6).join(',')])(
    'rejects expand=%s and lists what there is',
    async (text) => {
      for (const path of [ARTICLES, `${ARTICLES}/1`]) {
        const answer = await service.call(`GET ${path}?expand=${text}`)
        expectFailure(answer, 400, 'INVALID_REQUEST')
        expect(answer.body).toMatch(/noteCount|at most 5 names|duplicate names/)
      }
    },
  )

  it('rejects expand for other actions and other resources', async () => {
    expectFailure(await service.call(`GET /api/v1/posts?expand=note`), 400, 'INVALID_REQUEST')
    expectFailure(await service.call(`GET /api/v1/posts/1?expand=note`), 400, 'INVALID_REQUEST')
    const patch = await service.call(`PATCH ${ARTICLES}/${articles[0]?.id}?expand=note`, { body: {} })
    expectFailure(patch, 400, 'INVALID_REQUEST')
  })
})

/** Creates a generator of integers below a limit, which returns the same numbers in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
