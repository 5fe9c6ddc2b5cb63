import type { ExplainPage } from './page.ts'

/** Pages for errors of the TypeScript compiler that the types of routes can cause. */
export const TYPE_PAGES: Readonly<Record<string, ExplainPage>> = {
  TS7022: {
    means: 'The type of a router or an agent depends on itself.',
    why: 'A handler returns the result of ctx.call for a route of the same router, or two agents return the results of each other. The result has the type of a route, and the route has the type of the handler.',
    fix: 'Add a return type to the handler that returns the result of ctx.call.',
    example: `.on('GET /api/total', (ctx): Promise<{ total: number }> => ctx.call('GET /api/sum'))`,
  },
}
