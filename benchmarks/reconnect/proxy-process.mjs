// A TCP proxy that can add a delay or stop silently. It has a separate process, so that other work does not delay it.
import { connect, createServer } from 'node:net'

const [port, delayMs] = process.argv.slice(2).map(Number)
const links = new Set()

const server = createServer((near) => {
  const far = connect({ port, host: '127.0.0.1' })
  const link = { isFrozen: false }
  links.add(link)
  forward(link, near, far)
  forward(link, far, near)
})

function forward(link, from, to) {
  // Timers of equal length fire in the order in which they were set, so the bytes stay in order.
  const later = (run) => setTimeout(() => link.isFrozen || run(), delayMs)
  from.setNoDelay(true)
  from.on('data', (bytes) => later(() => to.write(bytes)))
  from.on('error', () => {}) // a close comes too
  from.on('close', () => later(() => to.destroy()))
}

process.on('disconnect', () => process.exit()) // the parent is gone
if (!process.connected) process.exit() // it was gone before we began
process.on('message', () => {
  for (const link of links) link.isFrozen = true
  process.send({ frozen: Date.now() })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
