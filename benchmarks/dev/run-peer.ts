import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCaller, type Caller } from './caller.ts'
import type { Peer } from './peers.ts'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The measurements of a peer. */
export interface Measured {
  /** From the start of the process to the first successful response, in ms. */
  readonly ready: number
  /** From each save to the first response with the new word, in ms. */
  readonly edits: readonly number[]
  readonly calls: number
  readonly failed: number
}

/** The extent of the measurement. */
export interface Course {
  readonly edits: number
  /** The number of connections that call continuously. */
  readonly connections: number
  /** The timeout of a start or a save, in ms. */
  readonly limitMs: number
}

/** Starts a peer and saves its file repeatedly, under constant load. */
export async function runPeer(peer: Peer, { edits, connections, limitMs }: Course): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-dev-'))
  let child: ChildProcess | undefined
  try {
    const save = (word: string): void => write(folder, peer.edit(word))
    for (const file of Object.entries(peer.files)) write(folder, file)
    save('word-0')
    install(folder, peer.packages)
    const port = await freePort()
    const started = performance.now()
    child = start(folder, peer, port)
    const caller = createCaller(port, peer.route)
    await answered(caller, 'word-0', limitMs)
    const ready = performance.now() - started
    const load = caller.keepCalling(connections)
    const taken: number[] = []
    for (let edit = 1; edit <= edits; edit++) taken.push(await timeOf(edit))
    return { ready, edits: taken, ...(await load.stop()) }

    async function timeOf(edit: number): Promise<number> {
      await pass(100) // developers pause between saves
      const saved = performance.now()
      save(`word-${edit}-`)
      await answered(caller, `word-${edit}-`, limitMs)
      return performance.now() - saved
    }
  } finally {
    if (child !== undefined) await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Calls until the response contains the word. */
async function answered(caller: Caller, word: string, limitMs: number): Promise<void> {
  const latest = performance.now() + limitMs
  while ((await caller.call())?.includes(word) !== true) {
    if (performance.now() > latest) throw new Error(`no response with ${word} within ${limitMs} ms`)
    await pass(1)
  }
}

function install(folder: string, packages: readonly string[] | undefined): void {
  if (packages === undefined) return symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
  write(folder, ['package.json', '{ "name": "bench", "private": true, "type": "module" }\n'])
  const args = ['install', ...packages, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', args, { cwd: folder, timeout: 300_000, stdio: ['ignore', 'ignore', 'pipe'] })
}

function start(folder: string, { command, env }: Peer, port: number): ChildProcess {
  const [script, ...args] = command(port)
  return spawn(process.execPath, [join(folder, 'node_modules', script), ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'development', NODE_OPTIONS: '', ...env?.(port) },
    stdio: 'ignore',
    // In a separate process group, since peers start child processes.
    detached: true,
  })
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.pid === undefined || child.exitCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

function write(folder: string, [file, text]: readonly [string, string]): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
