import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { openCrowd } from './crowd.ts'
import { DIALECTS, type Dialect } from './dialects.ts'

/** What a round gave. */
export interface Sample {
  /** Messages that came to clients, a second. */
  readonly rate: number
  /** Microseconds of CPU for each, of the server's process. */
  readonly cpu: number
}

/** How long a round takes. */
export interface Round {
  readonly ms: number
  /** Goes on until so many have come. */
  readonly atLeast: number
}

const TEXT = 'The quick brown fox jumps over the lazy dog'
const CONNECTIONS = 50

/** Fifty clients that each have so many messages on their way, and get them back. */
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

/** One client that sends to a room, and many that hear it; the next message leaves when all have the last one. */
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

/** The dialect of a server. */
export function dialectOf({ name }: ServerProcess): Dialect {
  const found = DIALECTS[name]
  if (found === undefined) throw new Error(`there is no server ${name}: ${Object.keys(DIALECTS).join(', ')}`)
  return found
}

function assertSame(got: unknown, wanted: string): true {
  if (JSON.stringify(got) !== wanted) throw new Error(`${JSON.stringify(got)} came instead of ${wanted}`)
  return true
}

/**
 * Keeps the event loop of the load turning until the returned function is called: a write that must first wake the
 * receiver costs the server several microseconds more, so a faster server would seem to be a slower one.
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
  /** One more has come; is there still time? */
  count(): boolean
  /** Begins, and waits until the time is over. */
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
      if (sample === null) throw new Error('nothing was measured')
      return sample
    },
  }
}
