import { serve, type Servable, type Server, type ServeOptions } from '@sdk/server'
import { Failure } from './failure.ts'

/** The number of ports to try, starting with the requested one. */
const MAX_ATTEMPTS = 20

const LAST_PORT = 65_535

/** Serves an app on the requested port, or on the next free port. */
export async function serveNearPort(app: Servable, options: ServeOptions & { port: number }): Promise<Server> {
  const last = Math.min(options.port + MAX_ATTEMPTS - 1, LAST_PORT)
  for (let port = options.port; port <= last; port++) {
    try {
      return await serve(app, { ...options, port })
    } catch (error) {
      if (!isTaken(error)) throw listenFailure(error, options.host)
    }
  }
  throw new Failure(`ports ${options.port} to ${last} are all in use`, {
    code: 'PORT_TAKEN',
    fix: 'stop one of the servers, or choose another port, for example PORT=4000',
  })
}

function isTaken(error: unknown): error is Error & { code: 'EADDRINUSE' } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** Converts an error from listening on a port to a `Failure`. Returns any other error unchanged. */
export function listenFailure(error: unknown, host: string | undefined): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const { message, syscall } = error
  if (isTaken(error)) {
    const fix = 'stop the process that is listening there, or choose another port, for example PORT=4000'
    return new Failure(message, { code: 'PORT_TAKEN', fix, cause: error })
  }
  // The app may resolve other host names at startup, such as that of a database.
  const isUnknown = syscall === 'getaddrinfo' && 'hostname' in error && error.hostname === host
  if (syscall !== 'listen' && !isUnknown) return error
  const fix = 'choose another address or port, for example HOST=0.0.0.0 PORT=4000'
  return new Failure(message, { code: 'CANNOT_LISTEN', fix, cause: error })
}

/** Returns the requested address, or the fallback if it is empty: an empty address would mean all interfaces. */
export function chooseHost(requested: string | undefined, fallback = '127.0.0.1'): string {
  return requested || fallback
}

/** Parses the requested port. Returns the fallback if it is missing or empty, and throws if it is invalid. */
export function parsePort(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= LAST_PORT) return port
  throw new Failure(`the port must be a number from 0 to 65535, got ${JSON.stringify(text)}`, {
    code: 'INVALID_PORT',
    fix: 'set --port, PORT, or port in sdk.config.ts, for example sdk dev --port 4000',
  })
}
