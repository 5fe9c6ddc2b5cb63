import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuOf, peakOf } from '../harness/process-cost.ts'
import type { Compiler } from './compilers.ts'
import type { EditorProtocol, EditorService, FilePosition, OpenFile } from './editor-protocol.ts'
import { lsp } from './lsp.ts'
import { CLIENT, type Project } from './project.ts'
import { tsserver } from './tsserver.ts'

/** The time that something took. */
export interface Taken {
  readonly wallSeconds: number
  readonly cpuSeconds: number
}

/** An editing session: null if the limit was reached first. */
export interface Session {
  /** From the start of the service to the first completions of the client's result. */
  readonly first: Taken | null
  /** From an edit on the server to the completions of the client's result. */
  readonly completions: readonly Taken[] | null
  /** From an edit on the server to the errors of the client. */
  readonly diagnostics: readonly Taken[] | null
  readonly megabytes: number
}

/** Options for `edit`. */
export interface SessionOptions {
  readonly project: Project
  readonly route: number
  readonly edits: number
  readonly limitMs: number
}

/** Opens a project, edits a route of its server several times, and checks the client after each edit. */
export async function edit(compiler: Compiler, options: SessionOptions): Promise<Session> {
  const [file, ...args] = compiler.server
  const service: EditorService = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], cwd: options.project.folder })
  const protocol = compiler.speaks === 'lsp' ? lsp(service) : tsserver(service)
  try {
    return await hold(service, protocol, options)
  } finally {
    service.kill('SIGKILL')
    await once(service, 'exit')
  }
}

async function hold(service: EditorService, protocol: EditorProtocol, options: SessionOptions): Promise<Session> {
  const { project, route, limitMs } = options
  const pid = service.pid ?? 0
  const read = (path: string): OpenFile => ({
    path: join(project.folder, path),
    text: readFileSync(join(project.folder, path), 'utf8'),
  })
  const client = read(CLIENT)
  const original = read(project.edited)
  const position = positionAfter(client.text, `result${route}.`)
  const take = (work: () => Promise<void>): Promise<Taken | null> => measure(pid, limitMs, work)

  const first = await take(async () => {
    await protocol.start(project.folder)
    protocol.open(client)
    protocol.open(original)
    assertHas(await protocol.complete(client.path, position), `total${route}`)
  })
  const completions: Taken[] = []
  const diagnostics: Taken[] = []
  let current = original
  const change = (name: string): void => {
    const text = original.text.replaceAll(`total${route}:`, `${name}:`)
    protocol.change(current, text)
    current = { ...original, text }
  }
  if (first === null) return { first, completions: null, diagnostics: null, megabytes: peakOf(pid) }
  for (let round = 0; round < options.edits; round++) {
    const completion = await take(async () => {
      change(`renamed${round}`)
      assertHas(await protocol.complete(client.path, position), `renamed${round}`)
    })
    if (completion === null) return { first, completions: null, diagnostics: null, megabytes: peakOf(pid) }
    completions.push(completion)
    const diagnosis = await take(async () => {
      change(`again${round}`)
      assertHas(await protocol.diagnose(client.path), `Property 'total${route}' does not exist`)
    })
    if (diagnosis === null) return { first, completions, diagnostics: null, megabytes: peakOf(pid) }
    diagnostics.push(diagnosis)
    if (completion.cpuSeconds > SLOW_SECONDS) break // another edit would give the same result
  }
  return { first, completions, diagnostics, megabytes: peakOf(pid) }
}

const SLOW_SECONDS = 10

async function measure(pid: number, limitMs: number, work: () => Promise<void>): Promise<Taken | null> {
  const cpu = cpuOf(pid)
  const started = performance.now()
  const stop = new AbortController()
  const isDone = await Promise.race([work().then(() => true), pause(limitMs, false, { signal: stop.signal })])
  stop.abort()
  if (!isDone) return null
  return { wallSeconds: (performance.now() - started) / 1000, cpuSeconds: (cpuOf(pid) - cpu) / 1000 }
}

/** Fails if the editor service returns anything else: then it has not done the work. */
function assertHas(all: readonly string[], wanted: string): void {
  if (!all.some((one) => one.startsWith(wanted))) throw new Error(`no ${wanted} in: ${all.slice(0, 20).join(', ')}`)
}

function positionAfter(text: string, mark: string): FilePosition {
  const end = text.indexOf(mark) + mark.length
  const lines = text.slice(0, end).split('\n')
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
}
