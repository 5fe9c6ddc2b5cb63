import { validateInput } from '../endpoint/endpoint.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { settingsOf } from '../run/execute-run.ts'
import { randomId } from '../run/run-id.ts'
import type { NewRun } from '../run/store/run-store.ts'
import type { RunnerDependencies } from '../run/runner.ts'
import { findDifference } from './compare-outcomes.ts'
import { describePoint, toCrashPoints } from './crash-point.ts'
import { runWithCrash } from './crash-run.ts'

/** Options for `everyCrash`. */
export interface EveryCrashOptions {
  /**
   * The values of the events that the run waits for. For a wait with an id, the key is the name of the event, a space
   * and the id. @default none, so that waits time out
   * @example events: { approval: { ok: true } }
   */
  readonly events?: Readonly<Record<string, unknown>>
  /**
   * Returns the effects of all runs so far as JSON, in any order, such as sent messages or the rows of a table. Calls
   * of `fetch` are added. @default only calls of fetch
   * @example effects: () => database.query('select subject from mails')
   */
  readonly effects?: () => readonly unknown[] | Promise<readonly unknown[]>
  /** Called before each run, for example to empty tables. @default nothing */
  readonly before?: () => unknown
}

/** The run that `everyCrash` tests. */
interface CrashTest {
  readonly agent: string
  readonly input: unknown
  readonly auth: RequestAuth | undefined
  readonly options: EveryCrashOptions
}

/** Runs an agent once without a crash, and then once for each point at which it can crash. Compares the results. */
export async function testEveryCrash(
  parts: RunnerDependencies | null,
  { agent: name, input, auth, options: { events = {}, effects = () => [], before = () => {} } }: CrashTest,
): Promise<string[]> {
  const agent = parts?.agents.find((one) => one.name === name)
  if (parts === null || agent === undefined)
    throw new TypeError(`everyCrash must get the name of a durable agent of the app, got ${JSON.stringify(name)}`)
  await validateInput(agent, input)
  const common: Omit<NewRun, 'id'> = {
    agent: name,
    userId: auth?.session.userId ?? null,
    caller: 'test',
    key: null,
    print: '',
    thread: null,
    input: input === undefined ? null : JSON.stringify(input),
    address: '127.0.0.1',
    trace: null,
    ...settingsOf(agent),
    process: null,
  }
  const next = (): Parameters<typeof runWithCrash>[0] => ({
    parts,
    run: { ...common, id: randomId() },
    events,
    effects,
    before,
  })
  const expected = await runWithCrash(next(), null)
  const points = toCrashPoints(expected.moments)
  for (const point of points) {
    const actual = await runWithCrash(next(), point)
    const difference = findDifference(expected, actual)
    if (difference === null) continue
    const place = describePoint({ ...point, ...actual.crashes[0] })
    throw new Error(`the agent ${name} is not durable: after a crash ${place}, ${difference}`)
  }
  return points.map((point) => describePoint(point))
}
