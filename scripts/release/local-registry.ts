import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, mustRun, ReleaseError } from './run-command.ts'

/** The newest verdaccio that supports Node 20. */
const VERDACCIO = 'verdaccio@6.8.0'
/** A dependency of verdaccio refers to a tag that not every registry has. */
const OVERRIDES = { 'node-fetch': '2.7.0' }
const START_TIMEOUT_MS = 60_000

/** A local npm registry: serves our packages as published to it, and all others from the configured registry. */
export interface LocalRegistry {
  readonly url: string
  close(): void
}

/** Options for `startLocalRegistry`. */
export interface LocalRegistryOptions {
  /** A folder for the program and its data. */
  readonly folder: string
  /** The registry that provides all other packages. */
  readonly upstream: string
  readonly signal: AbortSignal
}

/** Installs verdaccio and starts it on a free loopback port. */
export async function startLocalRegistry({ folder, upstream, signal }: LocalRegistryOptions): Promise<LocalRegistry> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides: OVERRIDES }))
  await mustRun(`npm install --no-audit --no-fund ${VERDACCIO}`, { cwd: folder, signal })
  const port = await findFreePort()
  const config = join(folder, 'config.json')
  // verdaccio reads YAML, which is a superset of JSON.
  writeFileSync(config, JSON.stringify(toConfig(folder, upstream)))
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio')
  const args = [program, '--config', config, '--listen', `127.0.0.1:${port}`]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const url = `http://127.0.0.1:${port}/`
  const close = (): void => endGroup(child.pid)
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await isReady(url))) {
    if (signal.aborted || child.exitCode !== null || Date.now() > deadline) {
      close()
      signal.throwIfAborted()
      throw new ReleaseError(`${VERDACCIO} did not start:\n${output}`)
    }
    await sleep(200)
  }
  return { url, close }
}

function toConfig(folder: string, upstream: string): object {
  return {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    // A package that the upstream lacks must not count as an upstream outage.
    uplinks: { upstream: { url: upstream, timeout: '60s', maxage: '1h', max_fails: 1000 } },
    packages: {
      '@sdk/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    max_body_size: '100mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(new URL('-/ping', url)).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port found')
  return address.port
}
