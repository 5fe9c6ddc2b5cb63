// Prisma with its driver adapter for pg. `strategy` is `query` (a statement per relation, the default) or `join`.
import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../node_modules/.cache/prisma-related/client.ts'
import { startArticles } from './fastify-articles.mjs'
import { COMMENTS, CONNECTIONS, databaseUrl } from './shape.mjs'

/** Starts the server. */
export async function startPrisma(relationLoadStrategy) {
  const adapter = new PrismaPg({ connectionString: databaseUrl, max: CONNECTIONS }, { statementNameGenerator: toName })
  const prisma = new PrismaClient({ adapter })
  await startArticles(async ({ after, limit }) => {
    const rows = await prisma.article.findMany({
      relationLoadStrategy,
      where: { id: { lt: after } },
      orderBy: { id: 'desc' },
      take: limit,
      include: {
        author: true,
        comments: { orderBy: { id: 'desc' }, take: COMMENTS },
        _count: { select: { favorites: true } },
      },
    })
    return rows.map(({ _count, ...article }) => ({ ...article, favoriteCount: _count.favorites }))
  })
}

/** Without names, each request would prepare its statements again. */
function toName({ sql }) {
  let name = names.get(sql)
  if (name === undefined) names.set(sql, (name = createHash('sha1').update(sql).digest('base64url')))
  return name
}

const names = new Map()
