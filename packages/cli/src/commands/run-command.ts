import { randomUUID } from 'node:crypto'
import { AS_HEADER, PASS_HEADER } from '../load/impersonation.ts'
import { callAgent, Retraction, type AgentResponse } from '../run/call-agent.ts'
import type { Command, CommandContext } from './command.ts'
import { readDevServerInfo, type DevServerInfo } from '../dev/dev-server-info.ts'
import { findDevServerRun } from '../run/dev-server-runs.ts'
import { findRoot, findProject, type Project } from '../discover.ts'
import { EXIT, Failure, usageFailure } from '../failure.ts'
import { didYouMean } from '../closest-match.ts'
import type { LocalServer } from '../run/local-server.ts'
import { readInput } from '../run/read-input.ts'
import { assertDurable, noServerToDetach, startDetached } from '../run/start-detached.ts'
import type { Terminal } from '../terminal.ts'

/** The `sdk run` command. */
export const runCommand: Command = {
  summary: 'calls an agent, whether or not sdk dev is running',
  mode: 'development',
  args: [
    { name: 'agent', summary: 'the name of an agent' },
    { name: 'input', summary: 'JSON, @file, or - for standard input', isOptional: true },
  ],
  options: {
    stream: { summary: 'prints chunks as they arrive, one per line' },
    detach: { summary: 'starts a durable agent in the background and prints the id of its run' },
    as: { value: 'email', summary: 'acts as this user (development only)' },
    url: { value: 'url', summary: 'the server to call (default: the dev server of this project)' },
    json: { summary: 'also prints failures as JSON' },
  },
  examples: [
    `sdk run summarize '{"text":"One. Two."}' --stream`,
    'sdk run summarize @input.json --as ada@example.com',
    'cat input.json | sdk run summarize --url https://app.example.com',
    `sdk run research '{"question":"Why?"}' --detach`,
  ],
  async run(context) {
    const { cwd, terminal, has } = context
    const [name = '', argument] = context.args
    const input = await readInput({ argument, cwd })
    const control = new AbortController()
    const interrupt = (): void => control.abort()
    process.once('SIGINT', interrupt) // a second Ctrl-C ends the process
    const server = await findTarget(name, context)
    const requestId = randomUUID()
    try {
      const headers = { ...server.headers, 'x-request-id': requestId, 'x-sdk-caller': 'sdk run' }
      const call = { url: server.url, name, input, headers, signal: control.signal }
      if (has('detach')) return printDetached(await startDetached(call), context)
      await printResponse(await callAgent(call), has('stream'), terminal)
    } catch (error) {
      if (!control.signal.aborted) throw error
      throw new Failure('interrupted: the call was aborted', { code: 'INTERRUPTED', exitCode: EXIT.interrupted })
    } finally {
      const id = has('detach') ? null : await server.runOf(requestId)
      if (id !== null) terminal.err(terminal.paint.dim(`to see this run: sdk runs ${id}`))
      await server.close()
      process.off('SIGINT', interrupt)
    }
  },
}

interface RunTarget extends Omit<LocalServer, 'pass'> {
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the server at `--url`, the running `sdk dev`, or a server that is started for this call. */
async function findTarget(name: string, { cwd, terminal, text, has }: CommandContext): Promise<RunTarget> {
  const [url, as] = [text('url'), text('as')]
  if (url !== undefined) return toRemoteTarget(url, as, cwd)
  const project = findProject(cwd)
  assertAgentExists(project, name)
  const devServer = readDevServerInfo(project.root)
  if (devServer !== null && has('detach')) await assertDurable(devServer, name)
  if (devServer !== null) return toRunningTarget(devServer.url, as, devServer)
  if (has('detach')) throw noServerToDetach()
  process.env['NODE_ENV'] ??= 'development'
  if (process.cwd() !== project.root) process.chdir(project.root) // paths such as .sdk/data are relative to the project
  const { openLocalServer } = await import('../run/local-server.ts') // imported on demand: it loads the bundler
  const server = await openLocalServer(project, terminal)
  return { ...server, headers: impersonationHeaders(as, server.pass) }
}

function toRunningTarget(url: string, as: string | undefined, devServer: DevServerInfo | null): RunTarget {
  return {
    url,
    headers: impersonationHeaders(as, devServer?.pass ?? ''),
    runOf: async (requestId) => (devServer === null ? null : await findDevServerRun(devServer, requestId)),
    close: () => Promise.resolve(),
  }
}

function toRemoteTarget(url: string, as: string | undefined, cwd: string): RunTarget {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw usageFailure(
      `--url must be an HTTP URL such as http://127.0.0.1:3000, got ${JSON.stringify(url)}`,
      'sdk run --help',
    )
  const running = readDevServerInfo(findRoot(cwd))
  const devServer = running !== null && new URL(running.url).origin === new URL(url).origin ? running : null
  if (as !== undefined && devServer === null)
    throw usageFailure(`--as requires this project's dev server, but ${url} is another server`, 'omit --url or --as')
  return toRunningTarget(url, as, devServer)
}

function impersonationHeaders(as: string | undefined, pass: string): Record<string, string> {
  return as === undefined ? {} : { [AS_HEADER]: as, [PASS_HEADER]: pass }
}

function assertAgentExists({ agents, root }: Project, name: string): void {
  const names = agents.map((agent) => agent.name)
  if (names.includes(name)) return
  const known = names.length === 0 ? `create it with sdk add agent ${name}` : `available agents: ${names.join(', ')}`
  throw usageFailure(`agent ${JSON.stringify(name)} not found in ${root}`, didYouMean(name, names) ?? known)
}

function printDetached(id: string, { has, terminal: { out, err, paint } }: CommandContext): void {
  out(has('json') ? JSON.stringify({ id }) : id)
  err(paint.dim(`to follow this run: sdk runs ${id} --follow`))
}

async function printResponse(
  answer: AgentResponse,
  isLive: boolean,
  { out, err, write, paint }: Terminal,
): Promise<void> {
  if (answer.kind === 'value') return out(JSON.stringify(answer.value, null, isLive ? undefined : 2))
  if (answer.kind === 'text') {
    for await (const piece of answer.text) write(piece)
    return
  }
  const chunks: unknown[] = []
  for await (const chunk of answer.chunks) {
    if (chunk instanceof Retraction) {
      chunks.length = chunk.keep
      if (isLive) err(paint.dim(`retracted: only the first ${chunk.keep} chunks remain`))
    } else if (isLive) out(JSON.stringify(chunk))
    else chunks.push(chunk)
  }
  if (!isLive) out(JSON.stringify(chunks, null, 2))
}
