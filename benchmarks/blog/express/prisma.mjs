import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../node_modules/.cache/prisma-blog/client.ts'

export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) })
