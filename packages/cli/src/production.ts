import { fileURLToPath } from 'node:url'
import { createApp, createLog, createRouter, serve, type Agent, type Router, type Server } from '@sdk/server'
import { appSettings, logSettings, type Settings } from './config.ts'
import { tellDatabaseProgress } from './database-progress.ts'
import { openEngine } from './engine.ts'
import { EXIT, Failure } from './failure.ts'
import { isTaken, parsePort } from './listen.ts'
import { untilStopped } from './shutdown.ts'
import { createStaticFiles } from './static-files.ts'
import type { WebFile } from './web-files.ts'

/** What a built project consists of. */
export interface Built {
  readonly agents: readonly Agent[]
  readonly router: Router | null
  /** The URL of the built server; the web app lies beside it. */
  readonly base: string
  /** The files of the web app; null where there is none. */
  readonly web: readonly WebFile[] | null
  /** What `sdk.config.ts` said when it was built. */
  readonly settings: Settings
}

/** A load balancer needs a moment to hear that we are going, and sends until then; a person does not. */
const LINGER = { SIGTERM: 1_000, SIGINT: 0 }

/**
 * Runs a built project until it is told to stop, and ends the process. This module becomes part of `dist/server`.
 * @public called by the entry that `sdk build` writes
 */
export async function runBuilt({ agents, router, base, web, settings }: Built): Promise<never> {
  const stopped = untilStopped()
  const log = createLog(logSettings(settings))
  tellDatabaseProgress(log)
  const engine = await openEngine({ from: base, log, instances: settings.instances })
  const app = createApp({ agents, router: router ?? createRouter(), engine, log, ...appSettings(settings) })
  const files = web === null ? {} : { fallback: createStaticFiles(fileURLToPath(new URL('../web', base)), web) }
  const server = await listen(() =>
    serve(app, {
      port: parsePort(process.env['PORT'], settings.port ?? 3000),
      host: process.env['HOST'] ?? settings.host ?? '127.0.0.1',
      signals: false,
      ...files,
    }),
  )
  log.info('listening', { url: server.url })
  const signal = await stopped
  log.info('closing', { signal })
  await server.close({ linger: LINGER[signal] })
  await engine.close()
  process.exit(0)
}

async function listen(start: () => Promise<Server>): Promise<Server> {
  try {
    return await start()
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === null) throw error
    console.error(reason)
    return process.exit(EXIT.failed)
  }
}

/** Why nobody can listen, where that is for the one who starts the server to mend. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Failure) return error.message
  if (isTaken(error)) return `${error.message}: choose another port, as in PORT=4000`
  const isOurs = error instanceof Error && 'syscall' in error && /^(?:listen|getaddrinfo)$/.test(String(error.syscall))
  return isOurs ? `${error.message}: choose another address or port, as in HOST=0.0.0.0 PORT=4000` : null
}
