import { runLoad } from '../harness/load.ts'
import { middle } from '../harness/middle.ts'
import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { toRequest, type Case } from './cases.ts'
import { postgresCost, postgresCpuBetween } from './postgres-process.ts'

/** What a round of a case gave. */
export interface Sample {
  /** Requests a second. */
  readonly rps: number
  /** Microseconds of CPU a request, of the server's process. */
  readonly cpu: number
  /** The same of PostgreSQL's processes. */
  readonly postgres: number
}

/** What a contest is between, and for how long. */
export interface ContestOptions {
  readonly servers: readonly ServerProcess[]
  readonly postmaster: number
  readonly rounds: number
  readonly ms: number
  readonly connections: number
  /** How many requests of a case warm a server up. */
  readonly warmUp: number
}

/** The samples of a case by server, round by round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** Runs cases in interleaved rounds; `casesOf` gives those of a server, under the same names for all. */
export async function runContest(
  { servers, postmaster, rounds, ms, connections, warmUp }: ContestOptions,
  casesOf: (server: ServerProcess) => Readonly<Record<string, Case>>,
): Promise<ReadonlyMap<string, Samples>> {
  const samples = new Map<string, Record<string, Sample[]>>()
  let sent = 0
  for (let round = 0; round <= rounds; round++) {
    for (const name of Object.keys(servers[0] ? casesOf(servers[0]) : {})) await runCase(name, round)
  }
  return samples

  async function runCase(name: string, round: number): Promise<void> {
    const found = samples.get(name) ?? Object.fromEntries(servers.map((server) => [server.name, []]))
    samples.set(name, found)
    // The order alternates, so that no server always runs behind the other.
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const sample = await measure(server, name, round === 0 ? warmUp : warmUp / 4)
      if (round > 0) found[server.name]?.push(sample) // the first round is the just-in-time compiler's
    }
  }

  async function measure(server: ServerProcess, name: string, atLeast: number): Promise<Sample> {
    const asked = casesOf(server)[name]
    if (asked === undefined) throw new Error(`${server.name} has no case ${name}`)
    const before = { server: await costOf(server), postgres: postgresCost(postmaster) }
    const { requests, seconds, statuses } = await runLoad({
      port: server.port,
      request: () => toRequest(asked, sent++),
      connections,
      ms,
      atLeast,
    })
    const after = { server: await costOf(server), postgres: postgresCost(postmaster) }
    const wrong = [...statuses.keys()].filter((status) => status !== asked.status)
    if (wrong.length > 0) throw new Error(`${server.name} answered ${name} with ${wrong.join(', ')}`)
    return {
      rps: requests / seconds,
      cpu: cpuBetween(before.server, after.server) / requests,
      postgres: postgresCpuBetween(before.postgres, after.postgres) / requests,
    }
  }
}

/** The medians of a server's samples. */
export function medianOf(samples: readonly Sample[]): Sample {
  return {
    rps: middle(samples.map(({ rps }) => rps)),
    cpu: middle(samples.map(({ cpu }) => cpu)),
    postgres: middle(samples.map(({ postgres }) => postgres)),
  }
}
