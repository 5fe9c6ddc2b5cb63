import type { ContextServices } from '../context/context.ts'
import { isAgent } from '../define/agent.ts'
import { runAgent } from '../endpoint/endpoint.ts'
import { createRunNested } from '../endpoint/nested-run.ts'
import { NO_LIMITS } from '../http/request-limits.ts'
import type { Tracer } from '../observe/otel.ts'
import { createRowsOf } from '../resource/rows.ts'
import { createTransactions } from '../resource/transaction.ts'
import type { Runs } from '../run/runs.ts'
import { createTools } from '../tool/create-tools.ts'
import { createRouteCalls, type RouteCallHost } from '../tool/route-calls.ts'

/** Creates the services that call agents and routes, and read rows, within a request. */
export function createNestedRuns(
  tracer: Tracer,
  runs: Runs,
  { cancellations, ...host }: Omit<RouteCallHost, 'runNested'> & Pick<ContextServices, 'cancellations'>,
): Pick<ContextServices, 'run' | 'call' | 'tools' | 'start' | 'rows' | 'transaction' | 'cancellations'> {
  const { endpoints, tools } = host
  const runNested = createRunNested(tracer)
  const rows = createRowsOf({ endpoints, tools: { ...tools, limits: { ...tools.limits, ...NO_LIMITS } }, runNested })
  const calls = createRouteCalls({ ...host, runNested })
  return {
    async run(agent, input, caller) {
      if (!isAgent(agent)) throw new TypeError('ctx.call expects an agent created with createAgent')
      if (agent.durable !== undefined)
        throw new TypeError(
          `ctx.call can call the durable agent ${agent.name} only in a durable agent: start it with ctx.start`,
        )
      return runNested({ route: `POST /agent/${agent.name}`, input, caller }, (ctx) => runAgent(agent, input, ctx))
    },
    call: async (call, caller) => (await calls.call(call, caller, { isTrusted: true })).value,
    tools: createTools(endpoints, calls),
    cancellations,
    start: runs.startFor,
    rows,
    transaction: createTransactions(endpoints, { rows, start: runs.startInside }),
  }
}
