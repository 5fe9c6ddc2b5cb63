import { serve, type Servable, type Server, type ServeOptions } from '@sdk/server'
import { Failure } from './failure.ts'

/** How many ports after the wanted one are tried. */
const TRIES = 20

/** Serves on the wanted port, or on the next free one. */
export async function serveNear(app: Servable, options: ServeOptions & { port: number }): Promise<Server> {
  for (let port = options.port; port < options.port + TRIES; port++) {
    try {
      return await serve(app, { ...options, port })
    } catch (error) {
      if (!isTaken(error)) throw listenFailure(error)
    }
  }
  throw new Failure(`the ports ${options.port} to ${options.port + TRIES - 1} are all taken`, {
    code: 'PORT_TAKEN',
    fix: 'stop one of the servers, or choose another port: PORT=4000',
  })
}

/** Did this fail because somebody listens there already? */
function isTaken(error: unknown): error is Error & { code: 'EADDRINUSE' } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** Why a server cannot listen, where that is for the one who starts it to mend; else what was thrown. */
export function listenFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const { message, syscall } = error
  if (isTaken(error)) {
    const fix = 'stop who listens there, or choose another port, as in PORT=4000'
    return new Failure(message, { code: 'PORT_TAKEN', fix, cause: error })
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const fix = 'choose another address or port, as in HOST=0.0.0.0 PORT=4000'
  return new Failure(message, { code: 'CANNOT_LISTEN', fix, cause: error })
}

/** The port that was asked for, by flag or environment. */
export function parsePort(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Failure(`a port is a number from 0 to 65535, got ${JSON.stringify(text)}`, {
    code: 'INVALID_PORT',
    fix: 'choose one with --port, PORT, or port in sdk.config.ts, as in sdk dev --port 4000',
  })
}
