import { isIP } from 'node:net'
import { ApiError, type Servable } from '@sdk/server'
import { createErrorReply } from '../load/error-reply.ts'

/** Options of `restrictHosts`. */
export interface AllowedHosts {
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
export function restrictHosts(app: Servable, hosts: AllowedHosts): Servable {
  return {
    ...app,
    handle(call) {
      const host = call.header('host') ?? ''
      return isAllowedHost(host, hosts)
        ? app.handle(call)
        : createErrorReply(403, 'FORBIDDEN', forbiddenHostMessage(host))
    },
    async admit(call) {
      const host = call.header('host') ?? ''
      if (!isAllowedHost(host, hosts)) throw new ApiError('FORBIDDEN', forbiddenHostMessage(host))
      return app.admit(call)
    },
  }
}

/** Is this a name that no foreign page can have? An IP address always is. */
export function isAllowedHost(header: string, { host, allowed = [] }: AllowedHosts): boolean {
  if (allowed === true) return true
  const name = header.toLowerCase().replace(/:\d*$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === host.toLowerCase()) return true
  return ['localhost', '.localhost', ...allowed].some((one) => matchesHost(name, one.toLowerCase()))
}

function matchesHost(name: string, pattern: string): boolean {
  return name === pattern || (pattern.startsWith('.') && (name === pattern.slice(1) || name.endsWith(pattern)))
}

function forbiddenHostMessage(host: string): string {
  return `sdk dev answers at localhost and at addresses, not at ${host}: name it in vite.server.allowedHosts of sdk.config.ts`
}
