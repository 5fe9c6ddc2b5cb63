import { expect, it } from 'vitest'
import { type Arena, CLIENTS, eachEngine, enginesOf, figuresOf, PROCESSES, sum, withMembers } from './cluster/arena.ts'
import { behind, later } from './cluster/messages.ts'
import { addRow, choose } from './mode.ts'

/** The number of clients per second that a server asks to reconnect when it shuts down. */
const RETURNS = 200

eachEngine.each(enginesOf('postgresEngine'))(`${CLIENTS} clients of ${PROCESSES} processes on the $name`, (driver) => {
  it('lose no messages in either direction during a rolling restart', async () => {
    const spreads: Spread[] = []
    const outcome = await withMembers(driver, {
      spread: 500,
      async trouble(arena) {
        for (let index = 0; index < PROCESSES; index += 1) spreads.push(await restart(arena, index))
      },
    })
    const { lost, members, statuses, repeated } = outcome
    const moved = spreads.reduce((total, { clients }) => total + clients, 0)
    const figures = { ...figuresOf(outcome), repeated, moved, spread: spreads.map(toText).join(', ') }
    addRow({ name: `rolling restart on the ${driver.name}`, restarts: PROCESSES, ...figures })
    expect([...statuses.keys()]).toEqual([200])
    expect(lost).toEqual([])
    expect(behind(members)).toEqual([])
    expect(members.flatMap(({ messages }) => [...messages.reordered, ...messages.unreported])).toEqual([])
    expect(members.flatMap(({ replies }) => replies.unreported)).toEqual([])
    expect(sum(members, ({ messages, replies }) => messages.gaps + replies.gaps)).toBe(0)
    for (const { replies, sent } of members) expect(replies.numbers).toEqual(countTo(sent()))
    // The sum over all restarts: on a busy machine, clients may receive the close requests of one restart together.
    expect(spreads.reduce((total, { ms }) => total + ms, 0)).toBeGreaterThan((moved / RETURNS) * 1000 * 0.2)
    expect(moved).toBeGreaterThanOrEqual(CLIENTS)
  })
})

/** The time in ms over which a process asked its clients to reconnect, without the first and the last tenth. */
interface Spread {
  readonly clients: number
  readonly ms: number
}

async function restart({ fleet, members }: Arena, index: number): Promise<Spread> {
  await later(choose(5_000, 500))
  const started = performance.now()
  await fleet.restart(index)
  const byes = members.flatMap(({ replies }) => replies.byes.filter((at) => at > started)).toSorted((a, b) => a - b)
  const [tenth, last] = [Math.floor(byes.length / 10), byes.length - 1]
  return { clients: byes.length, ms: (byes[last - tenth] ?? 0) - (byes[tenth] ?? 0) }
}

function toText({ clients, ms }: Spread): string {
  return `${clients} in ${Math.round(ms)} ms`
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
