import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { openCrowd } from './crowd.ts'
import { DIALECTS, type Dialect } from './dialects.ts'

/** The result of a round. */
export interface Sample {
  /** Messages received by clients per second. */
  readonly rate: number
  /** Microseconds of CPU per message, of the server's process. */
  readonly cpu: number
}

/** The duration of a round. */
export interface Round {
  readonly ms: number
  /** Continues until this many messages have arrived. */
  readonly atLeast: number
}

const TEXT = 'The quick brown fox jumps over the lazy dog'
const CONNECTIONS = 50

/** Fifty clients with a number of messages in flight each, which the server echoes. */
export async function echo(server: ServerProcess, inFlight: number, round: Round): Promise<Sample> {
  const message = JSON.stringify({ op: 'echo', id: 123_456, user: 'ada', text: TEXT, at: 1_700_000_000_000 })
  const meter = createMeter(server, round)
  let isChecked = false
  const crowd = await openCrowd({
    port: server.port,
    dialect: dialectOf(server),
    size: CONNECTIONS,
    onMessage(speaker, frame) {
      if (!isChecked) isChecked = assertSame(speaker.read(frame), message)
      if (meter.count()) speaker.say(message)
    },
  })
  await meter.start(() => {
    for (const speaker of crowd.speakers) for (let n = 0; n < inFlight; n++) speaker.say(message)
  })
  crowd.close()
  return meter.sample()
}

let rooms = 0

/**
 * One client that sends to a room, and many that receive; the next message is sent when all have received the last one.
 */
export async function fanOut(server: ServerProcess, members: number, round: Round): Promise<Sample> {
  const room = `room-${++rooms}`
  const message = JSON.stringify({ op: 'publish', room, id: 123_456, user: 'ada', text: TEXT, at: 1_700_000_000_000 })
  const meter = createMeter(server, round)
  let [isChecked, heard, joined] = [false, 0, 0]
  let enter: () => void = () => {}
  const entered = new Promise<void>((resolve) => (enter = resolve))
  const target = { port: server.port, dialect: dialectOf(server) }
  const publisher = await openCrowd({ ...target, size: 1, onMessage() {} })
  const publish = (): void => publisher.speakers[0]?.say(message)
  const crowd = await openCrowd({
    ...target,
    size: members,
    onMessage(speaker, frame) {
      if (joined < members) {
        if (++joined === members) enter()
        return
      }
      if (!isChecked) isChecked = assertSame(speaker.read(frame), message)
      if (meter.count() && ++heard % members === 0) publish()
    },
  })
  for (const speaker of crowd.speakers) speaker.say(JSON.stringify({ op: 'join', room }))
  await entered
  await meter.start(publish)
  for (const { close } of [publisher, crowd]) close()
  return meter.sample()
}

/** Returns the protocol of a server. */
export function dialectOf({ name }: ServerProcess): Dialect {
  const found = DIALECTS[name]
  if (found === undefined) throw new Error(`unknown server ${name}, use one of: ${Object.keys(DIALECTS).join(', ')}`)
  return found
}

function assertSame(got: unknown, wanted: string): true {
  if (JSON.stringify(got) !== wanted) throw new Error(`expected ${wanted}, got ${JSON.stringify(got)}`)
  return true
}

/**
 * Keeps the event loop of the load busy until the returned function is called: a write that must first wake the
 * receiver
 * costs the server several microseconds more, so a faster server would appear to be slower.
 */
function stayAwake(): () => void {
  let isOver = false
  const turn = (): void => {
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}

interface Meter {
  /** Counts a message. Returns whether there is time left. */
  count(): boolean
  /** Starts, and waits until the time is over. */
  start(begin: () => void): Promise<void>
  sample(): Sample
}

function createMeter(server: ServerProcess, { ms, atLeast }: Round): Meter {
  let [counted, until] = [0, Number.POSITIVE_INFINITY]
  let end: () => void = () => {}
  let sample: Sample | null = null
  return {
    count() {
      counted++
      if (counted < atLeast || performance.now() < until) return true
      end()
      return false
    },
    async start(begin) {
      const before = await costOf(server)
      const started = performance.now()
      counted = 0
      until = started + ms
      const ended = new Promise<void>((resolve) => (end = resolve))
      begin()
      const rest = stayAwake()
      await ended
      rest()
      const [messages, micros] = [counted, (performance.now() - started) * 1000]
      const used = cpuBetween(before, await costOf(server))
      sample = { rate: (messages / micros) * 1e6, cpu: used / messages }
    },
    sample() {
      if (sample === null) throw new Error('no sample was measured')
      return sample
    },
  }
}
