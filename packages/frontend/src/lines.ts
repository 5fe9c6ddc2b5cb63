import { toSubprotocols } from '@sdk/protocol'
import { openConnection, type Connection, type ConnectionOptions } from './connection.ts'

/** A source of tokens; `force` wants a new one, since the server refused the last. */
export type TokenSource = (options: { force: boolean }) => Promise<string | null>

/** Options of `createLines`; `onClose` only tells of connections that were not left by ourselves. */
export interface LinesOptions extends Omit<ConnectionOptions, 'protocols'> {
  /** Asked for every connection. @default no token */
  token?: TokenSource | undefined
  /** There is no token, or no way to use it. */
  onFailure(cause: unknown): void
}

/** The connection that works, and the one that is to take its place. */
export interface Lines {
  /** The one that works. */
  current(): Connection | undefined
  isOpening(): boolean
  /** Opens another one, if none is being opened; the current one goes when the server has welcomed it. */
  open(force?: boolean): Promise<void>
  /** Leaves the one that is being opened, and `all`: both. */
  leave(all: boolean): void
}

/** It has a connection as soon as there is a token. */
interface Line {
  connection?: Connection
}

/** Has no connection yet. */
export function createLines(options: LinesOptions): Lines {
  let current: Line | undefined
  let next: Line | undefined

  return {
    current: () => current?.connection,
    isOpening: () => next !== undefined,
    async open(force = false) {
      if (next !== undefined) return
      const line: Line = (next = {})
      try {
        const token = (await options.token?.({ force })) ?? null
        if (next === line) connect(line, toSubprotocols(token))
      } catch (cause) {
        if (next !== line) return
        next = undefined
        options.onFailure(cause)
      }
    },
    leave(all) {
      const left = [next, all ? current : undefined]
      next = undefined
      if (all) current = undefined
      for (const line of left) line?.connection?.close()
    },
  }

  function connect(line: Line, protocols: string[]): void {
    line.connection = openConnection({
      ...options,
      protocols,
      onReady(welcome) {
        const old = current
        current = line
        next = undefined
        old?.connection?.close()
        options.onReady(welcome)
      },
      onClose(code, reason) {
        if (line !== current && line !== next) return // we left it
        if (line === current) current = undefined
        else next = undefined
        options.onClose(code, reason)
      },
    })
  }
}
