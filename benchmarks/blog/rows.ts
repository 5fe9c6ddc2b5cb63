import { ask } from '../resources/rows.ts'

/** The numbers of rows. */
export const SIZES = { authors: 200, articles: 2_000 } as const

/** The names of the tables and columns of a server, and the SQL for the id of author `n`. */
interface Names {
  readonly users: string
  readonly newUser: Readonly<Record<string, string>>
  readonly author: (n: string) => string
  readonly articles: string
  readonly authorId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: string
  readonly newTag: Readonly<Record<string, string>>
  readonly articleId: string
  readonly favorites: string
  readonly favoriteOf: string
  readonly follows: string
  readonly followed: string
  readonly follower: string
}

const NAMES: Readonly<Record<string, Names>> = {
  sdk: {
    users: '"user"',
    newUser: {
      id: `'author-' || n`,
      name: `'author' || n`,
      '"emailVerified"': 'false',
      '"createdAt"': 'now()',
      '"updatedAt"': 'now()',
    },
    author: (n) => `'author-' || (${n})`,
    articles: 'articles',
    authorId: 'owner_id',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    tags: 'tags',
    newTag: { owner_id: `'author-' || (n % ${SIZES.authors} + 1)` },
    articleId: 'article_id',
    favorites: 'favorites',
    favoriteOf: 'owner_id',
    follows: 'follows',
    followed: 'user_id',
    follower: 'owner_id',
  },
  express: {
    users: '"User"',
    newUser: { id: 'n + 1000', password: `'x'` },
    author: (n) => `(${n}) + 1000`,
    articles: '"Article"',
    authorId: '"authorId"',
    createdAt: '"createdAt"',
    updatedAt: '"updatedAt"',
    tags: '"Tag"',
    newTag: {},
    articleId: '"articleId"',
    favorites: '"Favorite"',
    favoriteOf: '"userId"',
    follows: '"Follow"',
    followed: '"userId"',
    follower: '"followerId"',
  },
}

/** Inserts authors, articles with three tags and up to nine favorites; every reader follows every fourth author. */
export async function fillBlog(url: string, server: string): Promise<void> {
  const names = NAMES[server]
  if (names === undefined) throw new Error(`there are no names for ${server}`)
  const author = names.author(`n % ${SIZES.authors} + 1`)
  const time = `timestamp '2025-01-01 00:00:00' + n * interval '17 s'`
  const authors = `generate_series(1, ${SIZES.authors}) n`
  const articles = `generate_series(1, ${SIZES.articles}) n`
  await insert(
    names.users,
    {
      email: `'author' || n || '@example.com'`,
      username: `'author' || n`,
      bio: `'Writes about tea'`,
      ...names.newUser,
    },
    authors,
  )
  await insert(
    names.articles,
    {
      id: 'n',
      slug: `'tea-' || n`,
      title: `'Tea ' || n`,
      description: `'How to brew tea number ' || n`,
      body: `repeat('Warm the pot, then add a spoon of leaves. ', 20 + n % 20)`,
      [names.authorId]: author,
      [names.createdAt]: time,
      [names.updatedAt]: time,
    },
    articles,
  )
  const tag = `'tag' || lpad(((n * 7 + k * 13) % 50)::text, 2, '0')`
  await insert(
    names.tags,
    { [names.articleId]: 'n', name: tag, ...names.newTag },
    `${articles}, generate_series(1, 3) k`,
  )
  await insert(
    names.favorites,
    { [names.articleId]: 'n', [names.favoriteOf]: names.author('k') },
    `${articles}, generate_series(1, 9) k where k <= n % 10`,
  )
  await insert(
    names.follows,
    { [names.followed]: names.author('n * 4'), [names.follower]: 'r.id' },
    `generate_series(1, ${SIZES.authors / 4}) n, ${names.users} r where r.username like 'reader%'`,
  )
  await ask(url, `select setval(pg_get_serial_sequence('${names.articles}', 'id'), ${SIZES.articles})`)
  await ask(url, 'vacuum analyze')
  await ask(url, 'checkpoint')

  async function insert(table: string, columns: Readonly<Record<string, string>>, from: string): Promise<void> {
    const into = Object.keys(columns).join()
    await ask(
      url,
      `insert into ${table} (${into}) overriding system value select ${Object.values(columns).join()} from ${from}`,
    )
  }
}
