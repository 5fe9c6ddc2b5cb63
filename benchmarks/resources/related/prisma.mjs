import { startPrisma } from './prisma-articles.mjs'

await startPrisma('query')
