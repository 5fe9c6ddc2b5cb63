// Our server, as users run it: request id, rate limit, security headers and envelope. No request logs, like the peer.
import { openDatabase, table } from '@sdk/database'
import { createApp, createLog, createResource, createRouter, serve } from '@sdk/server'
import { report } from '../harness/report.mjs'
import { databaseUrl, Task } from './shape.mjs'

const database = openDatabase(databaseUrl)
const tasks = createResource('tasks', {
  schema: Task,
  store: table('tasks', { database }),
  access: 'public',
  filter: ['done', 'priority'],
  sort: ['priority', 'createdAt'],
})
const app = createApp({
  router: createRouter().resource('v1', tasks),
  rateLimit: { default: { quota: 1e9, window: 60 } },
  log: createLog({ level: 'error' }),
})
const server = await serve(app, { port: 0 })
report(server.port)
