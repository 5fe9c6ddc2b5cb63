import { runLoad } from '../harness/load.ts'
import { middle } from '../harness/middle.ts'
import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { toRequest, type Case } from './cases.ts'
import { postgresCost, postgresCpuBetween } from './postgres-process.ts'

/** The result of one round of a case. */
export interface Sample {
  /** Requests per second. */
  readonly rps: number
  /** Microseconds of CPU per request, of the server's process. */
  readonly cpu: number
  /** Microseconds of CPU per request, of PostgreSQL's processes. */
  readonly postgres: number
}

/** The servers of a contest, and its duration. */
export interface ContestOptions {
  readonly servers: readonly ServerProcess[]
  readonly postmaster: number
  readonly rounds: number
  readonly ms: number
  readonly connections: number
  /** The number of requests of a case that warm up a server. */
  readonly warmUp: number
}

/** The samples of a case by server, for each round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** Runs cases in interleaved rounds; `casesOf` returns the cases of a server, with the same names for all. */
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
    // The order alternates, so that no server always runs after the other.
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const sample = await measure(server, name, round === 0 ? warmUp : warmUp / 4)
      if (round > 0) found[server.name]?.push(sample) // the first round warms up the just-in-time compiler
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

/** Returns the medians of a server's samples. */
export function medianOf(samples: readonly Sample[]): Sample {
  return {
    rps: middle(samples.map(({ rps }) => rps)),
    cpu: middle(samples.map(({ cpu }) => cpu)),
    postgres: middle(samples.map(({ postgres }) => postgres)),
  }
}
