import { createAgent, type Agent, type App } from '@sdk/server'
import type { Problem } from '@sdk/workbench'

/** An agent that is loaded when it is needed. */
export interface LateAgent {
  readonly kind: 'late'
  readonly name: string
  /** Loads it, once. */
  load(): Promise<Agent | Problem>
}

/** Is it an agent that is not loaded yet? */
export function isLate(value: object): value is LateAgent {
  return 'kind' in value && value.kind === 'late'
}

/** A stand-in for a late agent. Await `arrive` before a call of the agent. */
export interface Arrival {
  readonly agent: Agent
  arrive(): Promise<void>
}

/** Makes the stand-in for a late agent; its description and schemas are those of the real one, once that is loaded. */
export function createArrival({ name, load }: LateAgent, toAgent: (loaded: Agent | Problem) => Agent): Arrival {
  let come: Agent | undefined
  const place: Agent = createAgent(name, {
    handler(ctx, input) {
      if (come === undefined) throw new TypeError(`the agent ${name} was called before it was loaded`)
      return come.handler(ctx, input as never)
    },
  })
  const agent: Agent = {
    ...place,
    get description() {
      return come?.description
    },
    get input() {
      return come?.input
    },
    get output() {
      return come?.output
    },
  }
  return {
    agent,
    async arrive() {
      come ??= toAgent(await load())
    },
  }
}

/** Makes calls wait for the agents that they need: one for a call of it, all for the OpenAPI document. */
export function awaitArrivals(app: App, arrivals: readonly Arrival[]): App {
  if (arrivals.length === 0) return app
  const byPath = new Map(arrivals.map(({ agent, arrive }) => [`/agent/${agent.name}`, arrive]))
  return {
    ...app,
    async handle(call) {
      const [path = '/'] = call.target.split('?', 1)
      const arrive = byPath.get(path)
      if (arrive !== undefined) await arrive()
      // An encoded path may be that of any agent.
      else if (path.includes('%') || path.endsWith('/openapi.json'))
        await Promise.all(arrivals.map((one) => one.arrive()))
      return app.handle(call)
    },
  }
}
