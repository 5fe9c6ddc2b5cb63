import { expect, it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
import { type Arena, CLIENTS, eachEngine, figuresOf, PROCESSES, sum, withCrowd } from './cluster/arena.ts'
import { behind, later } from './cluster/talking.ts'
import { addRow, choose } from './mode.ts'

/** A server that goes away asks so many clients a second to go elsewhere. */
const RETURNS = 200

eachEngine.each(DRIVERS)(`${CLIENTS} clients of ${PROCESSES} processes on the $name`, (driver) => {
  it('lose nothing, either way, while all processes are restarted one after the other', async () => {
    const spreads: Spread[] = []
    const outcome = await withCrowd(driver, {
      spread: 500,
      async trouble(arena) {
        for (let index = 0; index < PROCESSES; index += 1) spreads.push(await restart(arena, index))
      },
    })
    const { lost, talkers, statuses, repeated } = outcome
    const moved = spreads.reduce((total, { clients }) => total + clients, 0)
    const figures = { ...figuresOf(outcome), repeated, moved, spread: spreads.map(toText).join(', ') }
    addRow({ name: `rolling restart on the ${driver.name}`, restarts: PROCESSES, ...figures })
    expect([...statuses.keys()]).toEqual([200])
    expect(lost).toEqual([])
    expect(behind(talkers)).toEqual([])
    expect(talkers.flatMap(({ heard }) => [...heard.reordered, ...heard.untold])).toEqual([])
    expect(talkers.flatMap(({ answers }) => answers.untold)).toEqual([])
    expect(sum(talkers, ({ heard, answers }) => heard.gaps + answers.gaps)).toBe(0)
    for (const { answers, said } of talkers) expect(answers.answered).toEqual(countTo(said()))
    // Of all together: a crowd that gets no time to listen hears of one restart at once.
    expect(spreads.reduce((total, { ms }) => total + ms, 0)).toBeGreaterThan((moved / RETURNS) * 1000 * 0.4)
    expect(moved).toBeGreaterThanOrEqual(CLIENTS)
  })
})

/** Over how many ms most of the clients of a process, but for the first and the last tenth, were asked to leave it. */
interface Spread {
  readonly clients: number
  readonly ms: number
}

async function restart({ fleet, talkers }: Arena, index: number): Promise<Spread> {
  await later(choose(5_000, 500))
  const started = performance.now()
  await fleet.restart(index)
  const byes = talkers.flatMap(({ answers }) => answers.byes.filter((at) => at > started)).toSorted((a, b) => a - b)
  const [tenth, last] = [Math.floor(byes.length / 10), byes.length - 1]
  return { clients: byes.length, ms: (byes[last - tenth] ?? 0) - (byes[tenth] ?? 0) }
}

function toText({ clients, ms }: Spread): string {
  return `${clients} in ${Math.round(ms)} ms`
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
