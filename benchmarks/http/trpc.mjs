// POST /agent/work accepts the plain input; the response is wrapped: {"result":{"data":…}}.
// tRPC streams only to subscriptions, over GET, so burst and paced respond with 404.
import { initTRPC } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { report } from '../harness/report.mjs'
import { Input, work } from './shape.mjs'

const t = initTRPC.create()
const router = t.router({ work: t.procedure.input(Input).mutation(({ input }) => work(input)) })
const server = createHTTPServer({ router, basePath: '/agent/' })
server.listen(0, '127.0.0.1', () => report(server.address().port))
