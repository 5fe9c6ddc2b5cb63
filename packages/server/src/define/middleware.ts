import type { Context } from '../context/context.ts'
import type { Reply } from '../http/reply.ts'

/**
 * A function that runs before routes. It can inspect the request, modify the reply, or return a reply instead of
 * calling `next()`.
 */
export type Middleware = (ctx: Context, next: () => Promise<Reply>) => Promise<Reply | Response>
