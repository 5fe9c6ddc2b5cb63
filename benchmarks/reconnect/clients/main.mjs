// The process of one library's clients: opens, sends and closes on request of its parent, and reports events.
const { open } = await import(`./${process.argv[2]}.mjs`)
const clients = new Map()

process.on('disconnect', () => process.exit()) // the parent is gone
if (!process.connected) process.exit() // it was gone before we began
process.on('message', ({ id, task, ...rest }) => {
  if (task === 'open') clients.set(id, open({ ...rest, tell: (kind) => process.send({ id, kind, at: Date.now() }) }))
  if (task === 'send') void send(id, rest)
  if (task === 'close') clients.get(id).close()
})
process.send({ isReady: true })

/** Sends numbered messages from `first` on, at a rate per second. */
async function send(id, { first, count, perSecond }) {
  const started = performance.now()
  let refused = 0
  for (let sent = 0; sent < count; sent++) {
    const wait = started + (sent * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    if (!clients.get(id).send(first + sent)) refused++
  }
  process.send({ id, kind: 'sent', at: Date.now(), refused })
}
