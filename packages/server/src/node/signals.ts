import { constants } from 'node:os'
import { errorFields, type Log } from '../log/log.ts'
import type { DrainOptions } from './connections.ts'

interface SignalTarget {
  readonly log: Log
  close(options: DrainOptions): Promise<void>
}

/** How long idle connections stay open, in ms. A load balancer keeps sending requests until it notices the shutdown. */
const LINGER_MS = 1_000

const running = new Set<SignalTarget>()
let isEnding = false

/**
 * Closes this server and exits the process on `SIGTERM` and Ctrl-C. A second signal exits immediately. Returns a
 * function that stops listening.
 */
export function endOnSignal(server: SignalTarget): () => void {
  if (running.size === 0) process.on('SIGTERM', closeAll).on('SIGINT', closeAll)
  running.add(server)
  return () => {
    if (running.delete(server) && running.size === 0 && !isEnding)
      process.off('SIGTERM', closeAll).off('SIGINT', closeAll)
  }
}

function closeAll(signal: 'SIGTERM' | 'SIGINT'): void {
  if (isEnding) process.exit(128 + constants.signals[signal])
  isEnding = true
  void Promise.all(Array.from(running, (server) => closeTarget(server, signal))).then((isClean) =>
    process.exit(isClean.every(Boolean) ? 0 : 1),
  )
}

async function closeTarget(server: SignalTarget, signal: string): Promise<boolean> {
  server.log.info('closing', { signal })
  try {
    await server.close({ linger: signal === 'SIGTERM' ? LINGER_MS : 0 })
    return true
  } catch (error) {
    server.log.error('shutdown failed', errorFields(error))
    return false
  }
}
