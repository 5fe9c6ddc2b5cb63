// Our server with the limits on load lifted: the same resource twice, with and without live data.
import { openDatabase, table } from '@sdk/database'
import { createApp, createLog, createResource, createRouter, serve } from '@sdk/server'
import { report } from '../harness/report.mjs'
import { databaseUrl, fill, Task } from './shape.mjs'

const database = openDatabase(databaseUrl)
const resource = (name, live) =>
  createResource(name, {
    schema: Task,
    store: table(name, { database }),
    access: 'public',
    filter: ['listId', 'priority', 'done'],
    sort: ['priority'],
    live,
  })
const app = createApp({
  router: createRouter().resource('v1', resource('tasks', true)).resource('v1', resource('plain', false)),
  rateLimit: false,
  limits: { socket: { rate: false, perAddress: 100_000, perUser: 100_000 } },
  log: createLog({ level: 'error' }),
})
// Without it, each affected list is read again.
if (process.env.BENCH_ADVANCE === 'no') app['~live'].settings.canAdvance = false
addSilent(app['~live'].socket, Number(process.env.BENCH_SILENT ?? 0))
const { port } = await serve(app, { port: 0 })
for (const name of ['tasks', 'plain']) {
  await fetch(`http://127.0.0.1:${port}/api/v1/${name}?limit=1`)
  await database.query(fill(name, Number(process.env.BENCH_LISTS ?? 50)))
}
report(port)

/** Adds subscribers without a connection for each subscription, to measure the work without the cost of their sockets. */
function addSilent(socket, count) {
  const { message } = socket
  socket.message = (peer, request) => {
    for (let index = 0; index < count; index++)
      message(Object.create(peer, { data: { writable: true }, sendJson: { value() {} } }), request)
    return message(peer, request)
  }
}
