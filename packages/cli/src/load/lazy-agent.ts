import { createAgent, type Agent, type App } from '@sdk/server'
import type { Problem } from '@sdk/workbench'

/** An agent that is loaded on demand. */
export interface LazyAgent {
  readonly kind: 'lazy'
  readonly name: string
  /** Loads the agent on the first call. Later calls return the same promise. */
  load(): Promise<Agent | Problem>
}

/** Returns whether a value is a lazy agent. */
export function isLazyAgent(value: object): value is LazyAgent {
  return 'kind' in value && value.kind === 'lazy'
}

/** A proxy for a lazy agent. Await `ensureLoaded` before calling the agent. */
export interface LazyAgentProxy {
  readonly agent: Agent
  ensureLoaded(): Promise<void>
}

/** Creates a proxy for a lazy agent. Once the agent is loaded, the proxy has its description and schemas. */
export function createLazyAgentProxy(
  { name, load }: LazyAgent,
  toAgent: (loaded: Agent | Problem) => Agent,
): LazyAgentProxy {
  let loaded: Agent | undefined
  const placeholder: Agent = createAgent(name, {
    handler(ctx, input) {
      if (loaded === undefined) throw new TypeError(`the agent ${name} was called before it was loaded`)
      return loaded.handler(ctx as never, input as never)
    },
  })
  const ensureLoaded = async (): Promise<void> => {
    loaded ??= toAgent(await load())
  }
  const agent: Agent = {
    ...placeholder,
    '~load': ensureLoaded,
    get description() {
      return loaded?.description
    },
    get input() {
      return loaded?.input
    },
    get output() {
      return loaded?.output
    },
  }
  return { agent, ensureLoaded }
}

/** Makes each call wait for the agents that it needs: the called agent, or all agents for the OpenAPI document. */
export function loadAgentsOnCall(app: App, proxies: readonly LazyAgentProxy[]): App {
  if (proxies.length === 0) return app
  const byPath = new Map(proxies.map(({ agent, ensureLoaded }) => [`/agent/${agent.name}`, ensureLoaded]))
  return {
    ...app,
    async handle(call) {
      const [path = '/'] = call.target.split('?', 1)
      const ensureLoaded = byPath.get(path)
      if (ensureLoaded !== undefined) await ensureLoaded()
      // An encoded path may belong to any agent.
      else if (path.includes('%') || path.endsWith('/openapi.json'))
        await Promise.all(proxies.map((one) => one.ensureLoaded()))
      return app.handle(call)
    },
  }
}
