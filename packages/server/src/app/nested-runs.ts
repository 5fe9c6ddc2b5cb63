import type { ContextServices } from '../context/context.ts'
import { isAgent } from '../define/agent.ts'
import { runAgent, type EndpointTools, type PublicEndpoint } from '../endpoint/endpoint.ts'
import { createRunNested } from '../endpoint/nested-run.ts'
import { NO_LIMITS } from '../http/request-limits.ts'
import type { Tracer } from '../observe/otel.ts'
import { createRowsOf } from '../resource/rows.ts'
import { createTransactions } from '../resource/transaction.ts'
import type { Runs } from '../run/runs.ts'

/** Creates the services that run agents and read rows within a request. */
export function createNestedRuns(
  tracer: Tracer,
  endpoints: readonly PublicEndpoint[],
  { tools, runs }: { tools: EndpointTools; runs: Runs },
): Pick<ContextServices, 'run' | 'start' | 'rows' | 'transaction'> {
  const runNested = createRunNested(tracer)
  const rows = createRowsOf({ endpoints, tools: { ...tools, limits: { ...tools.limits, ...NO_LIMITS } }, runNested })
  return {
    async run(agent, input, caller) {
      if (!isAgent(agent)) throw new TypeError('ctx.call expects an agent created with createAgent')
      if (agent.durable !== undefined)
        throw new TypeError(
          `ctx.call can call the durable agent ${agent.name} only in a durable agent: start it with ctx.start`,
        )
      return runNested({ route: `POST /agent/${agent.name}`, input, caller }, (ctx) => runAgent(agent, input, ctx))
    },
    start: runs.startFor,
    rows,
    transaction: createTransactions(endpoints, { rows, start: runs.startInside }),
  }
}
