import type { Context } from '../context/context.ts'
import type { Reply } from '../http/reply.ts'

/** Runs before routes: inspects the request, changes the reply, or returns its own instead of calling `next()`. */
export type Middleware = (ctx: Context, next: () => Promise<Reply>) => Promise<Reply | Response>
