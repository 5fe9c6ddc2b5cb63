import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuOf, peakOf } from '../harness/process-cost.ts'
import type { Compiler } from './compilers.ts'
import { lsp } from './lsp.ts'
import { CLIENT, type Project } from './project.ts'
import { tsserver } from './tsserver.ts'

/** A file as an editor has it. */
export interface OpenFile {
  readonly path: string
  readonly text: string
}

/** A place in a file; both from zero. */
export interface Place {
  readonly line: number
  readonly character: number
}

/** What an editor asks of an editor service. */
export interface Dialect {
  start(folder: string): Promise<void>
  open(file: OpenFile): void
  /** Replaces the text of an open file. */
  change(before: OpenFile, after: string): void
  /** The names that can stand at a place. */
  complete(path: string, place: Place): Promise<string[]>
  /** The messages of all errors in a file. */
  diagnose(path: string): Promise<string[]>
}

/** The child process of a service, and what it writes. */
export type Service = ChildProcessByStdio<Writable, Readable, null>

/** What something has taken. */
export interface Taken {
  readonly wallSeconds: number
  readonly cpuSeconds: number
}

/** An editor's hour: null where the limit came first. */
export interface Session {
  /** From the start of the service to the first names behind the client's result. */
  readonly first: Taken | null
  /** From an edit at the server to the names behind the client's result. */
  readonly completions: readonly Taken[] | null
  /** From an edit at the server to the errors of the client. */
  readonly diagnostics: readonly Taken[] | null
  readonly megabytes: number
}

/** What `edit` takes. */
export interface SessionOptions {
  readonly project: Project
  readonly route: number
  readonly edits: number
  readonly limitMs: number
}

/** Opens a project, edits a route of its server some times, and looks at the client after each. */
export async function edit(compiler: Compiler, options: SessionOptions): Promise<Session> {
  const [file, ...args] = compiler.server
  const service: Service = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], cwd: options.project.folder })
  const dialect = compiler.speaks === 'lsp' ? lsp(service) : tsserver(service)
  try {
    return await hold(service, dialect, options)
  } finally {
    service.kill('SIGKILL')
    await once(service, 'exit')
  }
}

async function hold(service: Service, dialect: Dialect, options: SessionOptions): Promise<Session> {
  const { project, route, limitMs } = options
  const pid = service.pid ?? 0
  const read = (path: string): OpenFile => ({
    path: join(project.folder, path),
    text: readFileSync(join(project.folder, path), 'utf8'),
  })
  const client = read(CLIENT)
  const original = read(project.edited)
  const place = placeBehind(client.text, `result${route}.`)
  const take = (work: () => Promise<void>): Promise<Taken | null> => measure(pid, limitMs, work)

  const first = await take(async () => {
    await dialect.start(project.folder)
    dialect.open(client)
    dialect.open(original)
    assertHas(await dialect.complete(client.path, place), `total${route}`)
  })
  const completions: Taken[] = []
  const diagnostics: Taken[] = []
  let current = original
  const change = (name: string): void => {
    const text = original.text.replaceAll(`total${route}:`, `${name}:`)
    dialect.change(current, text)
    current = { ...original, text }
  }
  if (first === null) return { first, completions: null, diagnostics: null, megabytes: peakOf(pid) }
  for (let round = 0; round < options.edits; round++) {
    const completion = await take(async () => {
      change(`renamed${round}`)
      assertHas(await dialect.complete(client.path, place), `renamed${round}`)
    })
    if (completion === null) return { first, completions: null, diagnostics: null, megabytes: peakOf(pid) }
    completions.push(completion)
    const diagnosis = await take(async () => {
      change(`again${round}`)
      assertHas(await dialect.diagnose(client.path), `Property 'total${route}' does not exist`)
    })
    if (diagnosis === null) return { first, completions, diagnostics: null, megabytes: peakOf(pid) }
    diagnostics.push(diagnosis)
    if (completion.cpuSeconds > SLOW_SECONDS) break // once more would tell the same
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

/** An editor service that answers with something else has not done the work. */
function assertHas(all: readonly string[], wanted: string): void {
  if (!all.some((one) => one.startsWith(wanted))) throw new Error(`no ${wanted} in: ${all.slice(0, 20).join(', ')}`)
}

function placeBehind(text: string, mark: string): Place {
  const end = text.indexOf(mark) + mark.length
  const lines = text.slice(0, end).split('\n')
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
}
