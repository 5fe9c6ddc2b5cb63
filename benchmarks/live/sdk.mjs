// Our server with the limits on load lifted: the same resource twice, with and without live data.
import { openDatabase, table } from '@sdk/database'
import { createApp, createLog, createResource, createRouter, serve } from '@sdk/server'
import { setTimeout } from 'node:timers/promises'
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
  const { message, close } = socket
  const crowds = new WeakMap()
  socket.message = async (peer, request) => {
    const { log, auth, incoming } = peer
    const silent = { log, auth, incoming, isBehind: false, sendJson() {}, sendOnce: () => true }
    const crowd = crowds.get(peer) ?? Array.from({ length: count }, () => ({ ...silent }))
    crowds.set(peer, crowd)
    for (const member of crowd) message(member, request)
    // Otherwise the work of subscribing would be part of the first changes.
    if ('sub' in request) while (app['~live'].inspect().subscriptions < count) await setTimeout(5)
    return message(peer, request)
  }
  socket.close = (peer, ...rest) => {
    for (const member of crowds.get(peer) ?? []) close(member, ...rest)
    return close(peer, ...rest)
  }
}
