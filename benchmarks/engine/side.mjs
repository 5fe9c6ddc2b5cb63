// One side of a stream: publishes messages when its parent asks, or receives them and reports the times.
// Usage: side.mjs memory|postgres|redis|socketio publish|subscribe|both URL
const [kind, role, url] = process.argv.slice(2)
const STREAM = 'bench'
/** All listeners of a process receive the stream; the time is measured at the last one. */
const LISTENERS = 10
const quiet = () => {}
const log = { debug: quiet, info: quiet, warn: console.error, error: console.error }

/** Returns the time in microseconds, from a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint() / 1000n)

const side = await (kind === 'socketio' ? openSocketIo() : openEngine())
if (role !== 'publish') await listen()
process.on('message', (task) => void say(task))
process.on('disconnect', () => process.exit()) // the parent is gone
process.send({ ready: true })

async function openEngine() {
  const engine = await createEngine()
  return {
    publish: (text) => engine.publish(STREAM, text),
    subscribe: (listener) => engine.subscribe(STREAM, ({ data }) => listener(data)),
  }
}

async function createEngine() {
  if (kind === 'memory') return (await import('@sdk/server')).memoryEngine({ log })
  if (kind === 'redis') return (await import('@sdk/redis')).redisEngine(url, { log })
  return (await import('@sdk/database')).postgresEngine(url, { log })
}

/** Without clients: messages are counted where Socket.IO looks up its clients, which costs nothing. */
async function openSocketIo() {
  const [{ Server }, { createAdapter }, { Adapter }, { Redis }] = await Promise.all([
    import('socket.io'),
    import('@socket.io/redis-streams-adapter'),
    import('socket.io-adapter'),
    import('ioredis'),
  ])
  const listeners = []
  Adapter.prototype.broadcast = ({ data }) => listeners.forEach((listener) => listener(data[1]))
  const { adapter } = new Server({ adapter: createAdapter(new Redis(url)) }).of('/')
  const options = { rooms: new Set([STREAM]), except: new Set(), flags: {} }
  await adapter.init()
  await new Promise((resolve) => setTimeout(resolve, 500)) // it has no event for being subscribed
  return {
    publish: (text) => adapter.broadcast({ type: 2, nsp: '/', data: ['m', text] }, options),
    subscribe: async (listener) => void listeners.push(listener),
  }
}

/** Publishes a number of messages: at a rate, or as fast as possible with a limited number in flight. */
async function say({ count, perSecond, atOnce }) {
  if (role === 'subscribe') return
  const send = (n) => side.publish(JSON.stringify({ n, count, at: now(), text: 'x'.repeat(64) }))
  const started = now()
  let next = 1
  const paced = async () => {
    for (const wait = 1e6 / perSecond; next <= count;) {
      while (next <= count && now() - started >= next * wait) await send(next++)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  const run = async () => {
    while (next <= count) await send(next++)
  }
  await Promise.all(perSecond === undefined ? Array.from({ length: atOnce }, run) : [paced()])
}

async function listen() {
  let [last, gaps, began, took] = [0, 0, 0, []]
  const hear = (text) => {
    const { n, count, at } = JSON.parse(text)
    if (n === 1) [last, gaps, began, took] = [0, 0, at, []]
    if (n !== last + 1) gaps += 1
    last = n
    took.push(now() - at)
    if (n === count) process.send({ count, gaps, heard: took.length, micros: now() - began, took: quantiles(took) })
  }
  for (let nth = 1; nth < LISTENERS; nth += 1) await side.subscribe(quiet)
  await side.subscribe(hear)
}

function quantiles(took) {
  const sorted = took.toSorted((a, b) => a - b)
  return [0.5, 0.95].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0)
}
