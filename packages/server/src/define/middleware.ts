import type { Context } from '../context/context.ts'
import type { Reply } from '../http/reply.ts'

/** Stands in front of routes: looks, changes, or answers itself instead of `next()`. */
export type Middleware = (ctx: Context, next: () => Promise<Reply>) => Promise<Reply | Response>
