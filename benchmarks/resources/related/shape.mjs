// Shared by all servers of the benchmark, so that they differ only in how they read related rows.
import { z } from 'zod'

/** The fields of an author. */
export const Author = z.object({ name: z.string().max(100), bio: z.string().max(2_000) })

/** The fields of an article. */
export const Article = z.object({ title: z.string().max(200), body: z.string().max(50_000), authorId: z.int() })

/** The fields of a comment. */
export const Comment = z.object({ articleId: z.int(), text: z.string().max(2_000) })

/** The fields of a favorite. */
export const Favorite = z.object({ articleId: z.int(), userId: z.int() })

/** The path of the articles. */
export const PATH = '/api/v1/articles'

/** The number of comments that a page shows for each article: the newest. */
export const COMMENTS = 10

/** The database of the server. */
export const databaseUrl = process.env.BENCH_DATABASE ?? ''

/** The number of connections to the database. */
export const CONNECTIONS = 10
