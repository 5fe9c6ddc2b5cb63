import type { Manifest } from '@sdk/workbench'
import type { DevServerInfo } from '../dev/dev-server-info.ts'
import { usageFailure, type Failure } from '../failure.ts'
import { sendCall, toCallFailure, type AgentCall } from './call-agent.ts'
import { requestWorkbench } from './dev-server-runs.ts'

/** Starts a run of a durable agent in the background. Returns the id of the run. */
export async function startDetached(call: AgentCall): Promise<string> {
  const response = await sendCall({ ...call, headers: { ...call.headers, prefer: 'respond-async' } })
  if (!response.ok) throw toCallFailure(await response.text(), response)
  const id = response.headers.get('run-id')
  await response.body?.cancel()
  if (id === null) throw notDurable(call.name)
  return id
}

/** Throws if a dev server reports that an agent is not durable. Calling it would not detach it. */
export async function assertDurable(devServer: DevServerInfo, name: string): Promise<void> {
  const manifest = await requestWorkbench<Manifest>(devServer, 'GET manifest')
  const routes = manifest?.routes.map(({ route }) => route) ?? []
  if (routes.includes(`POST /agent/${name}`) && !routes.includes(`GET /agent/${name}/runs`)) throw notDurable(name)
}

/** Creates the failure for `--detach` without a server that continues the run. */
export function noServerToDetach(): Failure {
  return usageFailure(
    '--detach requires a running server, which executes the run after the command has ended',
    'start sdk dev in another terminal, or pass --url',
  )
}

function notDurable(name: string): Failure {
  return usageFailure(
    `--detach requires a durable agent, but ${JSON.stringify(name)} is not durable`,
    'set durable: true in createAgent, or omit --detach',
  )
}
