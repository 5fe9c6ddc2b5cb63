import { isIP } from 'node:net'
import { ApiError, type Servable } from '@sdk/server'
import { refusalReply } from '../load/error-reply.ts'

/** What `onlyAtKnownHosts` takes. */
export interface KnownHosts {
  /** The address that the server listens on. */
  readonly host: string
  /** Further names, as Vite takes them; `.example.com` is all below it, `true` is any. @default [] */
  readonly allowed?: readonly string[] | true | undefined
}

/**
 * Refuses calls at host names that are not this machine's. This stops DNS rebinding: a foreign page points a name of
 * its own at this machine, and could then read what agents and routes answer. Vite and the workbench check the host
 * themselves.
 */
export function onlyAtKnownHosts(app: Servable, known: KnownHosts): Servable {
  return {
    ...app,
    handle(call) {
      const host = call.header('host') ?? ''
      return isKnownHost(host, known) ? app.handle(call) : refusalReply(403, 'FORBIDDEN', reasonOf(host))
    },
    async admit(call) {
      const host = call.header('host') ?? ''
      if (!isKnownHost(host, known)) throw new ApiError('FORBIDDEN', reasonOf(host))
      return app.admit(call)
    },
  }
}

/** Is this a name that no foreign page can have? An IP address always is. */
export function isKnownHost(header: string, { host, allowed = [] }: KnownHosts): boolean {
  if (allowed === true) return true
  const name = header.toLowerCase().replace(/:\d*$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === host.toLowerCase()) return true
  return ['localhost', '.localhost', ...allowed].some((one) => isOf(name, one.toLowerCase()))
}

function isOf(name: string, known: string): boolean {
  return name === known || (known.startsWith('.') && (name === known.slice(1) || name.endsWith(known)))
}

function reasonOf(host: string): string {
  return `sdk dev answers at localhost and at addresses, not at ${host}: name it in vite.server.allowedHosts of sdk.config.ts`
}
